import { encodeBackupLine } from '@reticle/contracts/backup-lines'
import type { BackupLine, BackupTask } from '@reticle/contracts/rest/backups'
import { cutBytes } from '@reticle/kit/testing/bytes'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { frameAt, testWorkspace } from '../testing/workspace.ts'

/** `spec/api-workspace.md` 7: what becomes of a backup here, and that it is undone. */

const { addUser, over, takeEvents } = await testWorkspace()
const anna = await addUser()
const worker = await addUser('worker')

const job = { type: 'annotation', status: 'annotation' } as const
const task: BackupTask = {
  ...{ name: 'Batch', bug_tracker: '', status: 'annotation', subset: 'train', guide: null },
  ...{ labels: [{ name: 'car' }], has_custom_segments: false },
  data: {
    ...{ chunk_size: 5, image_quality: 80, start_frame: 0, frame_filter: '' },
    ...{ storage: 'local', video_name: null, deleted_frames: [3, 99] },
  },
  jobs: [
    { ...job, start_frame: 0, stop_frame: 2 },
    { ...job, status: 'completed', start_frame: 2, stop_frame: 3 },
    {
      ...job,
      type: 'ground_truth',
      start_frame: 0,
      stop_frame: 3,
      frames: [1],
      disabled_frames: [1],
    },
  ],
}
const frames: BackupLine[] = [0, 1, 2, 3].map((index) => ({ frame: frameAt(index) }))
let calls = 0

describe.each(transports)('%s', (transport) => {
  const { tasks, jobs, media, projects, issues } = over(transport)
  const restore = (lines: BackupLine[], call_id = `call-${++calls}`, user = anna) => {
    const body = cutBytes(lines.map(encodeBackupLine).join(''), 1009)
    return tasks.restoreBackup({ target: 'task', call_id, body }, user.call)
  }

  test('a task has the jobs, the states and the frames that it had', async () => {
    const { tasks: made, project_id } = await restore([{ task }, ...frames])
    const [{ task_id, job_ids } = { task_id: 0, job_ids: [] }] = made
    expect(project_id).toBe(null)
    expect(await tasks.getTask({ id: task_id }, anna.call)).toMatchObject({
      ...{ name: 'Batch', subset: 'train', size: 4, segment_size: 3, overlap: 1 },
      ...{ status: 'annotation', validation_mode: 'gt', owner: { id: anna.id } },
    })
    const states = await Promise.all(job_ids.map((id) => jobs.getJob({ id }, anna.call)))
    expect(states.map(({ type, stage, state }) => [type, stage, state])).toEqual([
      ['annotation', 'annotation', 'new'],
      ['annotation', 'acceptance', 'completed'],
      ['ground_truth', 'annotation', 'new'],
    ])
    const layout = await tasks.getTaskValidationLayout({ id: task_id }, anna.call)
    expect(layout).toEqual({ mode: 'gt', validation_frames: [1], disabled_frames: [1] })
    expect((await media.getTaskDataMeta({ id: task_id }, anna.call)).deleted_frames).toEqual([3])
  })

  test('it is told of as if it had been made by hand', async () => {
    await takeEvents()
    const place = { job: 1, frame: 2, position: [1, 2], resolved: true, owner: 'bo' }
    const comments = [{ message: 'no', owner: 'bo' }]
    await restore([{ task }, ...frames, { issue: { ...place, comments } }])
    const events = await takeEvents()
    expect(events.map(({ type }) => type)).toEqual([
      ...['create:task', 'update:task', 'create:job', 'create:job', 'create:job'],
      ...['create:issue', 'create:comment'],
    ])
    expect(events.at(-1)?.data).toMatchObject({ comment: { message: 'bo: no' } })
    const { results } = await issues.listIssues({ sort: '-id' }, anna.call)
    expect(results[0]).toMatchObject({ resolved: true, owner: { id: anna.id } })
  })

  test('the same call makes one; undone, it is gone and makes none', async () => {
    const call_id = `twice-${transport}`
    const first = await restore([{ task }, ...frames], call_id)
    expect(await restore([{ task }, ...frames], call_id)).toEqual(first)
    await tasks.undoRestore({ call_id }, anna.call)
    const id = first.tasks[0]?.task_id ?? 0
    await expect(tasks.getTask({ id }, anna.call)).rejects.toMatchObject({ kind: 'not_found' })
    const late = restore([{ task }, ...frames], call_id)
    await expect(late).rejects.toMatchObject({ kind: 'conflict' })
    await tasks.undoRestore({ call_id }, anna.call)
  })

  test('what is undone before it was begun is never made', async () => {
    const call_id = `early-${transport}`
    await tasks.undoRestore({ call_id }, anna.call)
    const late = restore([{ task }, ...frames], call_id)
    await expect(late).rejects.toMatchObject({ kind: 'conflict' })
  })

  test('a project goes with all that is in it', async () => {
    const project = { name: 'P', bug_tracker: '', status: 'validation', guide: null } as const
    const labels = [{ name: 'car' }]
    const call_id = `project-${transport}`
    const { project_id } = await restore(
      [{ project: { ...project, labels } }, { task }, ...frames],
      call_id,
    )
    const id = project_id ?? 0
    expect(await projects.getProject({ id }, anna.call)).toMatchObject({
      ...{ status: 'validation', tasks: { count: 1 } },
    })
    await tasks.undoRestore({ call_id }, anna.call)
    await expect(projects.getProject({ id }, anna.call)).rejects.toMatchObject({
      kind: 'not_found',
    })
  })

  test.each<[string, BackupTask['jobs'], string]>([
    [
      'a gap',
      [
        { ...job, start_frame: 0, stop_frame: 1 },
        { ...job, start_frame: 3, stop_frame: 3 },
      ],
      'share out the 4 frames',
    ],
    ['too few frames', [{ ...job, start_frame: 0, stop_frame: 2 }], 'share out the 4 frames'],
    [
      'none that annotates',
      [{ ...job, type: 'consensus_replica', start_frame: 0, stop_frame: 3 }],
      'at least one annotation job',
    ],
    [
      'ground truth of other frames',
      [
        { ...job, start_frame: 0, stop_frame: 3 },
        { ...job, type: 'ground_truth', start_frame: 0, stop_frame: 3, frames: [9] },
      ],
      'the frame 9 of ground truth',
    ],
  ])('jobs with %s are refused, and nothing is made', async (_, given, message) => {
    const before = (await tasks.listTasks({}, anna.call)).count
    const attempt = restore([{ task: { ...task, jobs: given } }, ...frames])
    await expect(attempt).rejects.toMatchObject({
      kind: 'invalid',
      body: [expect.stringContaining(message)],
    })
    expect((await tasks.listTasks({}, anna.call)).count).toBe(before)
  })

  test('workers may not', async () => {
    const attempt = restore([{ task }, ...frames], undefined, worker)
    await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
  })
})
