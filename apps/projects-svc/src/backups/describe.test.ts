import { decodeBackupLines } from '@reticle/contracts/backup-lines'
import type { BackupLine } from '@reticle/contracts/rest/backups'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { attachFrames, type TestUser, testWorkspace } from '../testing/workspace.ts'

/** Rows that a backup reads from this service. */

const { db, addUser, over } = await testWorkspace()
const [anna, bo] = [await addUser(), await addUser()]

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs, media, issues, guides } = services

  async function linesOf(target: 'project' | 'task', id: number, { call }: TestUser = anna) {
    const { chunks } = await tasks.describeBackup({ target, id }, call)
    const lines: BackupLine[] = []
    for await (const line of decodeBackupLines(chunks)) lines.push(line)
    return lines
  }

  /** Adds a task of ten frames in two jobs, each with two replicas, and ground truth. */
  async function addTask(project_id?: number) {
    const more = { segment_size: 6, overlap: 2, consensus_replicas: 2, subset: 'train' }
    const body = { name: 'Batch', bug_tracker: 'https://x.example', ...more }
    const { id } = await tasks.createTask({ body: { ...body, project_id } }, anna.call)
    await attachFrames(services, id, 10, anna)
    await media.updateTaskDataMeta({ id, body: { deleted_frames: [3] } }, anna.call)
    const truth = { frame_selection_method: 'manual' as const, frames: [1, 8] }
    await jobs.createJob({ body: { type: 'ground_truth', task_id: id, ...truth } }, anna.call)
    await tasks.updateTaskValidationLayout({ id, body: { disabled_frames: [8] } }, anna.call)
    return id
  }

  test('a task lists its jobs in frame order, replicas after their original', async () => {
    const id = await addTask()
    const [line, ...frames] = await linesOf('task', id)
    const { results } = await jobs.listJobs({ task_id: id, sort: 'id' }, anna.call)
    const first = results.find((job) => job.type === 'annotation')
    const body = { stage: 'acceptance', state: 'completed' } as const
    await jobs.updateJob({ id: first?.id ?? 0, body }, anna.call)
    expect(line?.task).toMatchObject({
      id,
      name: 'Batch',
      bug_tracker: 'https://x.example',
      subset: 'train',
      guide: null,
      has_custom_segments: false,
      data: { storage: 'local', start_frame: 0, frame_filter: '', deleted_frames: [3] },
    })
    const shown = line?.task?.jobs.map(({ type, start_frame, stop_frame }) => [
      ...[type, start_frame, stop_frame],
    ])
    const copy = 'consensus_replica'
    expect(shown).toEqual([
      ...[
        ['annotation', 0, 5],
        [copy, 0, 5],
        [copy, 0, 5],
      ],
      ...[
        ['annotation', 4, 9],
        [copy, 4, 9],
        [copy, 4, 9],
      ],
      ['ground_truth', 0, 9],
    ])
    expect(line?.task?.jobs.at(-1)).toMatchObject({ frames: [1, 8], disabled_frames: [8] })
    expect(frames.map(({ frame }) => frame?.name)).toEqual(
      Array.from({ length: 10 }, (_, index) => `images/${index}.jpg`),
    )
    const again = await linesOf('task', id)
    expect(again[0]?.task?.jobs[0]).toMatchObject(body)
  })

  test('issues reference their job by index and users by username', async () => {
    const id = await addTask()
    const { results } = await jobs.listJobs({ task_id: id, sort: 'id' }, anna.call)
    const second = results.filter((job) => job.type === 'annotation')[1]
    const place = { job: second?.id ?? 0, frame: 5, position: [1, 2, 3, 4] }
    const issue = await issues.createIssue({ body: { ...place, message: 'one' } }, anna.call)
    await issues.createComment({ body: { issue: issue.id, message: 'two' } }, anna.call)
    await db.updateTable('comments').set({ owner_id: null }).where('message', '=', 'two').execute()
    const lines = await linesOf('task', id)
    expect(lines.slice(11)).toEqual([
      {
        issue: {
          job: 3,
          frame: 5,
          position: [1, 2, 3, 4],
          resolved: false,
          owner: anna.username,
          comments: [
            { message: 'one', owner: anna.username },
            { message: 'two', owner: null },
          ],
        },
      },
    ])
  })

  test('a project contains its guide and the tasks that have media', async () => {
    const body = { name: 'P', labels: [{ name: 'car' }] }
    const { id } = await projects.createProject({ body }, anna.call)
    await tasks.createTask({ body: { name: 'empty', project_id: id } }, anna.call)
    const task_id = await addTask(id)
    await guides.createGuide({ body: { project_id: id, markdown: '# how' } }, anna.call)
    const lines = await linesOf('project', id)
    expect(lines[0]).toEqual({
      project: { name: 'P', bug_tracker: '', status: 'annotation', guide: '# how' },
    })
    expect(lines.flatMap(({ task }) => task?.id ?? [])).toEqual([task_id])
  })

  test('a task without media has no backup lines', async () => {
    const { id } = await tasks.createTask({ body: { name: 'empty' } }, anna.call)
    expect(await linesOf('task', id)).toEqual([])
  })

  test('a stranger may not back up a task', async () => {
    await expect(linesOf('task', await addTask(), bo)).rejects.toMatchObject({ kind: 'forbidden' })
  })
})
