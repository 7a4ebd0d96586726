import { text } from 'node:stream/consumers'
import type { FrameSource } from '@reticle/contracts/rest/media'
import { countStatements } from '@reticle/kit/testing/count-statements'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { attachFrames, frameAt, frameLines, testWorkspace } from '../testing/workspace.ts'

/** Attaching media, splitting into jobs, and reading frames. */

const { db, addUser, over, takeEvents } = await testWorkspace({ maxJobsPerTask: 50 })
const [anna, bo, admin] = [await addUser(), await addUser(), await addUser('admin')]
const noData = { kind: 'invalid', body: ['Data is not uploaded for the task yet'] }

describe.each(transports)('%s', (transport) => {
  const services = over(transport)
  const { projects, tasks, jobs, media } = services
  type TaskBody = Parameters<typeof tasks.createTask>[0]['body']
  const addTask = (given: Partial<TaskBody> = {}) =>
    tasks.createTask({ body: { name: 't', ...given } }, anna.call)
  const attach = (task_id: number, frames: readonly FrameSource[], call_id = `call-${task_id}`) => {
    const query = { task_id, call_id, image_quality: 60, chunk_size: 5 }
    return media.attachMedia({ ...query, body: frameLines(frames) }, anna.call)
  }
  const some = (count: number) => Array.from({ length: count }, (_, index) => frameAt(index))

  test('images become the media of a task, split into jobs, with an event for each', async () => {
    const task = await addTask({ segment_size: 5, overlap: 2 })
    await takeEvents()
    expect(await attach(task.id, some(10))).toEqual({ size: 10, jobs: 3 })

    const after = await tasks.getTask({ id: task.id }, anna.call)
    expect(after).toMatchObject({
      status: 'annotation',
      size: 10,
      mode: 'annotation',
      media_type: 'image',
      segment_size: 5,
      overlap: 2,
      data: task.id,
      data_chunk_size: 5,
      data_compressed_chunk_type: 'imageset',
      data_original_chunk_type: 'imageset',
      data_cloud_storage_id: null,
      image_quality: 60,
      jobs: { count: 3 },
    })
    const { results } = await jobs.listJobs({ task_id: task.id, sort: 'id' }, anna.call)
    const ranges = results.map((one) => [one.start_frame, one.stop_frame, one.frame_count])
    expect(ranges).toEqual([
      [0, 4, 5],
      [3, 7, 5],
      [6, 9, 4],
    ])
    const events = await takeEvents()
    expect(events.map((event) => event.type)).toEqual([
      'update:task',
      'create:job',
      'create:job',
      'create:job',
    ])
    expect(events[0]?.data).toMatchObject({
      task: after,
      before_update: { status: 'new', size: 0, data: null },
    })
    expect(events.slice(1).map(({ data }) => data)).toEqual(results.map((job) => ({ job })))
  })

  test('each job gets the requested number of replicas, which reference it', async () => {
    const { id } = await addTask({ segment_size: 3, overlap: 1, consensus_replicas: 2 })
    await takeEvents()
    expect(await attach(id, some(5))).toEqual({ size: 5, jobs: 6 })
    const { results } = await jobs.listJobs({ task_id: id, sort: 'id' }, anna.call)
    const [first, second, ...replicas] = results
    for (const job of [first, second])
      expect(job).toMatchObject({
        type: 'annotation',
        parent_job_id: null,
        replicas_count: 2,
        consensus_replicas: 2,
      })
    const shown = replicas.map((one) => [one.type, one.parent_job_id, one.start_frame])
    const replica = 'consensus_replica'
    expect(shown).toEqual([
      [replica, first?.id, 0],
      [replica, first?.id, 0],
      [replica, second?.id, 2],
      [replica, second?.id, 2],
    ])
    expect(replicas[3]).toMatchObject({ stop_frame: 4, replicas_count: 0 })
    expect(await tasks.getTask({ id }, anna.call)).toMatchObject({
      consensus_enabled: true,
      jobs: { count: 6 },
    })
    const created = (await takeEvents()).filter(({ type }) => type === 'create:job')
    expect(created.map(({ data }) => data)).toEqual(results.map((job) => ({ job })))
  })

  test('replicas count toward the job limit of a task', async () => {
    const { id } = await addTask({ segment_size: 1, consensus_replicas: 2 })
    await expect(attach(id, some(17))).rejects.toMatchObject({
      body: [expect.stringContaining('The task would have 51 jobs, at most 50 are allowed')],
    })
    expect(await attach(id, some(16))).toEqual({ size: 16, jobs: 48 })
  })

  test('a repeated call changes nothing and returns the same result', async () => {
    const { id } = await addTask({ segment_size: 1 })
    const first = await attach(id, some(3))
    await takeEvents()
    expect(await attach(id, some(3))).toEqual(first)
    expect(await takeEvents()).toEqual([])
    expect((await jobs.listJobs({ task_id: id }, anna.call)).count).toBe(3)
  })

  test('media is attached only once', async () => {
    const { id } = await addTask()
    await attach(id, some(1))
    await expect(attach(id, some(1), `another ${id}`)).rejects.toMatchObject({
      kind: 'invalid',
      body: ['Adding more data is not supported'],
    })
  })

  test('of two concurrent attachments one fails', async () => {
    const { id } = await addTask()
    const both = [attach(id, some(500), `one ${id}`), attach(id, some(500), `two ${id}`)]
    const ended = await Promise.allSettled(both)
    const failed = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
    expect(failed).toMatchObject([{ body: ['Adding more data is not supported'] }])
    expect((await tasks.getTask({ id }, anna.call)).size).toBe(500)
  })

  test('a rejected attachment leaves the task unchanged, and can be retried', async () => {
    const task = await addTask({ segment_size: 1 })
    const refused = [
      [[], 'No media data found'],
      [some(51), 'The task would have 51 jobs, at most 50 are allowed'],
      [[...some(2), { ...frameAt(2), width: 1.5 }], 'Line 3 of the frame list is no frame: width'],
    ] as const
    for (const [frames, text] of refused)
      await expect(attach(task.id, frames)).rejects.toMatchObject({
        kind: 'invalid',
        body: [expect.stringContaining(text)],
      })
    expect(await tasks.getTask({ id: task.id }, anna.call)).toEqual(task)
    expect(await attach(task.id, some(2))).toEqual({ size: 2, jobs: 2 })
  })

  test('attaching to a missing task is not found', async () => {
    await expect(attach(999_999, some(1))).rejects.toMatchObject({ kind: 'not_found' })
  })

  test('frames are read back unchanged, with any characters in their names', async () => {
    const { id } = await addTask()
    const names = ['a b.jpg', 'x/\u{1f600} "q".png', 'line\nbreak', '\x01\x02', 'tab\t\\.', '']
    const frames = names.map((name, index) =>
      frameAt(index, { name, offset: 5_000_000_000 + index, packing: 'deflated' }),
    )
    await attach(id, frames)
    const read = async (start: number, stop: number) => {
      const { chunks } = await media.readFrames({ task_id: id, start, stop }, anna.call)
      return (await text(chunks))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    }
    expect(await read(0, 5)).toEqual(frames)
    expect(await read(2, 3)).toEqual(frames.slice(2, 4))
    for (const [start, stop] of [
      [-1, 2],
      [0, 6],
      [3, 2],
    ] as const) {
      const attempt = media.readFrames({ task_id: id, start, stop }, anna.call)
      await expect(attempt).rejects.toMatchObject({ kind: 'invalid' })
    }
  })

  test('sizes are returned as runs of equal frames, in frame order', async () => {
    const { id } = await addTask()
    const widths = [10, 10, 20, 10, 10, 10]
    await attach(
      id,
      widths.map((width, index) => frameAt(index, { width })),
    )
    expect(await media.getFrameSizes({ task_id: id }, anna.call)).toEqual({
      runs: [
        { count: 2, width: 10, height: 480 },
        { count: 1, width: 20, height: 480 },
        { count: 3, width: 10, height: 480 },
      ],
    })
  })

  test('meta describes the media of a task, or the part of a job', async () => {
    const { id } = await addTask({ segment_size: 2 })
    const before = media.getTaskDataMeta({ id }, anna.call)
    await expect(before).rejects.toMatchObject(noData)
    await attach(id, some(3))
    const { results } = await jobs.listJobs({ task_id: id, sort: 'id' }, anna.call)
    const whole = await media.getTaskDataMeta({ id }, anna.call)
    const frame = (index: number) => ({
      name: `images/${index}.jpg`,
      width: 640,
      height: 480,
      related_files: 0,
      has_related_context: false,
    })
    expect(whole).toEqual({
      chunk_size: 5,
      size: 3,
      image_quality: 60,
      start_frame: 0,
      stop_frame: 2,
      frame_filter: '',
      storage: 'local',
      cloud_storage_id: null,
      chapters: null,
      chunks_updated_date: whole.chunks_updated_date,
      deleted_frames: [],
      included_frames: null,
      frames: [frame(0), frame(1), frame(2)],
    })
    const part = await media.getJobDataMeta({ id: results[1]?.id ?? 0 }, anna.call)
    expect(part).toEqual({
      ...whole,
      size: 1,
      start_frame: 2,
      stop_frame: 2,
      frames: [frame(2)],
    })
    const forbidden = { kind: 'forbidden' }
    await expect(media.getTaskDataMeta({ id }, bo.call)).rejects.toMatchObject(forbidden)
    const ofJob = media.getJobDataMeta({ id: results[0]?.id ?? 0 }, bo.call)
    await expect(ofJob).rejects.toMatchObject(forbidden)
  })

  describe('one frame', () => {
    const locate = (
      target: 'project' | 'task' | 'job',
      id: number,
      number: number | 'preview',
      user = anna,
    ) => {
      const preview = number === 'preview'
      return media.locateFrame({ target, id, number: preview ? 0 : number, preview }, user.call)
    }

    test('of a task or job is found by its number in the task', async () => {
      const { id } = await addTask({ segment_size: 2 })
      await attach(id, some(5))
      const { results } = await jobs.listJobs({ task_id: id, sort: 'id' }, anna.call)
      const second = results[1]?.id ?? 0
      expect(await locate('task', id, 4)).toEqual({
        ...frameAt(4),
        task_id: id,
        frame: 4,
        image_quality: 60,
        data_revision: 1,
      })
      expect(await locate('job', second, 3)).toMatchObject({ frame: 3 })
      for (const number of [1, 4, -1])
        await expect(locate('job', second, number)).rejects.toMatchObject({
          kind: 'invalid',
          body: [`The frame ${number} is not in this job: it has the frames 2 to 3`],
        })
      await expect(locate('task', id, 5)).rejects.toMatchObject({ kind: 'invalid' })
    })

    test('in the middle is the preview, and the newest task provides that of its project', async () => {
      const project = await projects.createProject({ body: { name: 'p' } }, anna.call)
      const project_id = project.id
      await expect(locate('project', project_id, 'preview')).rejects.toMatchObject({
        kind: 'not_found',
      })
      const old = await addTask({ project_id })
      await attach(old.id, some(1))
      const newest = await addTask({ project_id, segment_size: 4 })
      await expect(locate('task', newest.id, 'preview')).rejects.toMatchObject({
        kind: 'not_found',
      })
      await expect(locate('task', newest.id, 0)).rejects.toMatchObject(noData)
      await attach(newest.id, some(9))
      const { results } = await jobs.listJobs({ task_id: newest.id, sort: 'id' }, anna.call)
      expect(await locate('task', newest.id, 'preview')).toMatchObject({ frame: 4 })
      expect(await locate('job', results[1]?.id ?? 0, 'preview')).toMatchObject({ frame: 5 })
      const shown = await locate('project', project_id, 'preview')
      expect(shown).toMatchObject({ task_id: newest.id, frame: 4 })
    })

    test('requires the permission to view it', async () => {
      const project = await projects.createProject({ body: { name: 'p' } }, anna.call)
      const { id } = await addTask({ project_id: project.id })
      await attach(id, some(1))
      const { results } = await jobs.listJobs({ task_id: id }, anna.call)
      const job = results[0]?.id ?? 0
      await jobs.updateJob({ id: job, body: { assignee: bo.id } }, admin.call)
      expect(await locate('job', job, 0, bo)).toMatchObject({ frame: 0 })
      const forbidden = { kind: 'forbidden' }
      await expect(locate('task', id, 0, bo)).rejects.toMatchObject(forbidden)
      await expect(locate('project', project.id, 'preview', bo)).rejects.toMatchObject(forbidden)
      for (const target of ['project', 'task', 'job'] as const)
        await expect(locate(target, 999_999, 'preview')).rejects.toMatchObject({
          kind: 'not_found',
        })
    })
  })
})

test('a frame list cut short by the deletion of its task is an error', async () => {
  const services = over('in-process')
  const { tasks, media } = services
  const { id } = await tasks.createTask({ body: { name: 't' } }, anna.call)
  await attachFrames(services, id, 4500, anna)
  const { chunks } = await media.readFrames({ task_id: id, start: 0, stop: 4499 }, anna.call)
  const pieces = chunks[Symbol.asyncIterator]()
  await pieces.next()
  await db.deleteFrom('tasks').where('id', '=', id).execute()
  const rest = async () => {
    while (!(await pieces.next()).done);
  }
  await expect(rest()).rejects.toMatchObject({ kind: 'not_found' })
})

test('above a thousand jobs only the event of the task is emitted', async () => {
  const workspace = await testWorkspace({ maxJobsPerTask: 2000 })
  const user = await workspace.addUser()
  const services = workspace.over('in-process')
  const body = { name: 't', segment_size: 1 }
  const { id } = await services.tasks.createTask({ body }, user.call)
  await workspace.takeEvents()
  expect(await attachFrames(services, id, 1000, user)).toEqual({ size: 1000, jobs: 1000 })
  expect((await workspace.takeEvents()).map((event) => event.type)).toEqual(['update:task'])
})

test('a frame is located with one statement after the permission check', async () => {
  const services = over('in-process')
  const { id } = await services.tasks.createTask({ body: { name: 't' } }, anna.call)
  await attachFrames(services, id, 2, anna)
  const { db: watched, statements } = countStatements(db)
  const { media } = over('in-process', watched)
  await media.locateFrame({ target: 'task', id, number: 1, preview: false }, anna.call)
  expect(statements()).toBeLessThanOrEqual(2)
})
