import { encodeBackupLine } from '@reticle/contracts/backup-lines'
import type { BackupLine, BackupTask } from '@reticle/contracts/rest/backups'
import { cutBytes } from '@reticle/kit/testing/bytes'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { frameAt, testWorkspace } from '../testing/workspace.ts'

/** Rows that a restored backup creates in this service. */

const { db, addUser, over, takeEvents } = await testWorkspace()
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]
const worker = await addUser('worker')

const job = { type: 'annotation', status: 'annotation' } as const
const task: BackupTask = {
  name: 'Batch',
  bug_tracker: '',
  status: 'annotation',
  subset: 'train',
  guide: null,
  labels: [{ name: 'car' }],
  has_custom_segments: false,
  data: {
    chunk_size: 5,
    image_quality: 80,
    start_frame: 0,
    frame_filter: '',
    storage: 'local',
    video_name: null,
    deleted_frames: [3, 99],
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
const forbidden = { kind: 'forbidden' }
const missing = { kind: 'not_found' }
const project = { name: 'P', bug_tracker: '', status: 'validation' } as const
const place = { job: 1, frame: 2, position: [1, 2], resolved: true, owner: 'bo' }
const issue = { ...place, comments: [{ message: 'no', owner: 'bo' }] }
let count = 0

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { tasks, jobs, labels, media, projects, issues, guides } = services
  const open = async (given: { project?: typeof project } = {}, user = anna) => {
    const draft_id = `restore-${transport}-${++count}`
    const names = given.project ? [{ name: 'car' }] : []
    const opened = await tasks.openDraft({ body: { draft_id, ...given, labels: names } }, user.call)
    return { draft_id, project_id: opened.project_id ?? 0 }
  }
  const fill = async (draft_id: string, lines: BackupLine[]) => {
    const named = { draft_id, name: 'Batch', subset: 'train' }
    const { task_id } = await tasks.addDraftTask(named, anna.call)
    const body = cutBytes(lines.map(encodeBackupLine).join(''), 1009)
    return { task_id, ...(await tasks.restoreTask({ task_id, body }, anna.call)) }
  }
  const publish = (draft_id: string, user = anna) =>
    tasks.publishDraft({ draft_id, call_id: `publish-${draft_id}` }, user.call)
  const restore = async (lines: BackupLine[]) => {
    const { draft_id } = await open()
    const made = await fill(draft_id, lines)
    await publish(draft_id)
    return made
  }

  test('a restored task has the jobs, states and frames of the backup', async () => {
    const { task_id, job_ids } = await restore([{ task }, ...frames])
    expect(await tasks.getTask({ id: task_id }, anna.call)).toMatchObject({
      name: 'Batch',
      subset: 'train',
      size: 4,
      segment_size: 3,
      overlap: 1,
      status: 'annotation',
      validation_mode: 'gt',
      owner: { id: anna.id },
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

  test('publishing a restored task emits the events of a task created by hand', async () => {
    await takeEvents()
    const { draft_id } = await open()
    await fill(draft_id, [{ task }, ...frames, { issue }])
    expect(await takeEvents()).toEqual([])
    await publish(draft_id)
    const events = await takeEvents()
    expect(events.map(({ type }) => type)).toEqual([
      ...['create:task', 'create:job', 'create:job', 'create:job'],
      ...['create:issue', 'create:comment'],
    ])
    expect(events.at(-1)?.data).toMatchObject({ comment: { message: 'bo: no' } })
    const { results } = await issues.listIssues({ sort: '-id' }, anna.call)
    expect(results[0]).toMatchObject({ resolved: true, owner: { id: anna.id } })
  })

  test('a restored project is published once, with its contents', async () => {
    await takeEvents()
    const { draft_id, project_id: id } = await open({ project })
    const { task_id } = await fill(draft_id, [{ task: { ...task, labels: [] } }, ...frames])
    expect(await takeEvents()).toEqual([])
    const published = { project_id: id, task_ids: [task_id] }
    expect(await publish(draft_id)).toEqual(published)
    expect(await publish(draft_id)).toEqual(published)
    expect((await takeEvents()).map(({ type }) => type)).toEqual([
      ...['create:project', 'create:task', 'create:job', 'create:job', 'create:job'],
    ])
    const record = await projects.getProject({ id }, anna.call)
    expect(record).toMatchObject({ status: 'validation', tasks: { count: 1 }, name: 'P' })
    expect(record.owner?.id).toBe(anna.id)
    const { results } = await jobs.listJobs({ task_id }, anna.call)
    const { created_date } = await tasks.getTask({ id: task_id }, anna.call)
    expect(results.map((one) => one.created_date)).toEqual(Array(3).fill(created_date))
    expect(record.created_date).toBe(created_date)
  })

  /** Counts the records of each kind that a user finds in lists. */
  const found = async ({ call }: typeof anna) => {
    const lists = [
      projects.listProjects({}, call),
      tasks.listTasks({}, call),
      jobs.listJobs({}, call),
      issues.listIssues({}, call),
      issues.listComments({}, call),
      labels.listLabels({}, call),
      media.listFrames({ search: 'jpg' }, call),
    ]
    return (await Promise.all(lists)).map((list) => list.count)
  }

  test('no user sees the contents of a draft, and a dropped draft leaves no rows', async () => {
    const before = [await found(admin), await found(anna)]
    const { draft_id, project_id: id } = await open({ project })
    const { task_id } = await fill(draft_id, [
      { task: { ...task, labels: [] } },
      ...frames,
      { issue },
    ])
    await fill((await open()).draft_id, [{ task }, ...frames])
    expect([await found(admin), await found(anna)]).toEqual(before)
    await expect(projects.getProject({ id }, anna.call)).rejects.toMatchObject(forbidden)
    await expect(tasks.getTask({ id: task_id }, anna.call)).rejects.toMatchObject(forbidden)
    const exporting = { target: 'project', id, action: 'export' } as const
    await expect(tasks.authorize(exporting, admin.call)).rejects.toMatchObject(missing)
    await takeEvents()
    await tasks.dropDraft({ draft_id }, anna.call)
    expect(await takeEvents()).toMatchObject([
      { type: 'draft.dropped', data: { draft_id, task_ids: [task_id] } },
    ])
    const rows = await db.selectFrom('projects').select('id').where('id', '=', id).execute()
    expect(rows).toEqual([])
    await expect(publish(draft_id)).rejects.toMatchObject(missing)
  })

  test('the user who restores may add guides and write annotations with the restored labels', async () => {
    const { draft_id, project_id } = await open({ project })
    const { task_id, job_ids } = await fill(draft_id, [
      { task: { ...task, labels: [] } },
      ...frames,
    ])
    const guide = (owner: object, user = anna) =>
      guides.createGuide({ body: { ...owner, markdown: 'x' } }, user.call)
    await expect(guide({ project_id }, bo)).rejects.toMatchObject(forbidden)
    await expect(guide({ task_id }, bo)).rejects.toMatchObject(forbidden)
    const { id } = await guide({ project_id })
    await guides.updateGuide({ id, body: { markdown: 'y' } }, anna.call)
    const query = { target: 'job', id: job_ids[0] ?? 0, action: 'annotations:write' } as const
    await tasks.authorize(query, anna.call)
    await expect(tasks.authorize(query, bo.call)).rejects.toMatchObject(forbidden)
    const set = await labels.getLabelSet({ target: 'task', id: task_id }, anna.call)
    expect(set.labels.map(({ name }) => name)).toEqual(['car'])
    await expect(publish(draft_id, bo)).rejects.toMatchObject(forbidden)
    await publish(draft_id)
    expect(await guides.getGuide({ id }, anna.call)).toMatchObject({ markdown: 'y', project_id })
  })

  test('a draft whose project was deleted cannot be published', async () => {
    const { draft_id, project_id: id } = await open({ project })
    await fill(draft_id, [{ task: { ...task, labels: [] } }, ...frames])
    await projects.deleteProject({ id }, admin.call)
    await expect(publish(draft_id)).rejects.toMatchObject(missing)
    await tasks.dropDraft({ draft_id }, anna.call)
  })

  test('a task outside a draft cannot be restored into', async () => {
    const { id: task_id } = await tasks.createTask({ body: { name: 't' } }, anna.call)
    const body = cutBytes(encodeBackupLine({ task }), 1009)
    const attempt = tasks.restoreTask({ task_id, body }, anna.call)
    await expect(attempt).rejects.toMatchObject(missing)
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
  ])('jobs with %s are rejected', async (_, given, message) => {
    const attempt = restore([{ task: { ...task, jobs: given } }, ...frames])
    await expect(attempt).rejects.toMatchObject({
      kind: 'invalid',
      body: [expect.stringContaining(message)],
    })
  })

  test('workers may not restore', async () => {
    await expect(open({}, worker)).rejects.toMatchObject(forbidden)
    await expect(open({ project }, worker)).rejects.toMatchObject(forbidden)
  })
})
