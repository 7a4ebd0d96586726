import { randomUUID } from 'node:crypto'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { frameAt, frameLines, testWorkspace } from '../testing/workspace.ts'

/** Split options that are sent with the media. */

const { addUser, over, takeEvents } = await testWorkspace()
const anna = await addUser()

interface MediaOptions {
  start_frame?: number
  frame_filter?: string
  storage?: 'share'
  video_name?: string
  job_sizes?: { frames: number[] }
  job_count?: number
}

describe.each(transports)('%s', (transport) => {
  const { tasks, jobs, media } = over(transport)
  type TaskBody = Parameters<typeof tasks.createTask>[0]['body']
  const addTask = (given: Partial<TaskBody> = {}) =>
    tasks.createTask({ body: { name: 't', ...given } }, anna.call)
  const attach = (task_id: number, options: MediaOptions, size = 6) => {
    const query = { task_id, call_id: randomUUID(), image_quality: 60, chunk_size: 5 }
    const body = frameLines(Array.from({ length: size }, (_, index) => frameAt(index)))
    return media.attachMedia({ ...query, ...options, body }, anna.call)
  }
  const rangesOf = async (task_id: number) => {
    const { results } = await jobs.listJobs({ task_id, sort: 'id', page_size: 'all' }, anna.call)
    return results.map((one) => `${one.start_frame}-${one.stop_frame}`).join(' ')
  }

  test('listed job sizes split the frames, and the task has no common segment size', async () => {
    const { id } = await addTask()
    await takeEvents()
    expect(await attach(id, { job_sizes: { frames: [1, 3, 2] } })).toEqual({ size: 6, jobs: 3 })
    expect(await rangesOf(id)).toBe('0-0 1-3 4-5')
    const task = await tasks.getTask({ id }, anna.call)
    expect(task).toMatchObject({ segment_size: 0, overlap: 0, size: 6, jobs: { count: 3 } })
    const types = (await takeEvents()).map(({ type }) => type)
    expect(types).toEqual(['update:task', 'create:job', 'create:job', 'create:job'])
  })

  test('a frame selection is stored with the frame numbers of the source', async () => {
    const { id } = await addTask({ segment_size: 2 })
    await attach(id, { start_frame: 3, frame_filter: 'step=4', storage: 'share' }, 5)
    const { results } = await jobs.listJobs({ task_id: id, sort: 'id' }, anna.call)
    const whole = await media.getTaskDataMeta({ id }, anna.call)
    expect(whole).toMatchObject({ size: 5, start_frame: 3, stop_frame: 19, storage: 'share' })
    expect(whole).toMatchObject({ frame_filter: 'step=4' })
    const [, second] = results
    const part = await media.getJobDataMeta({ id: second?.id ?? 0 }, anna.call)
    expect(part).toMatchObject({ size: 2, start_frame: 11, stop_frame: 15 })
    const body = { type: 'ground_truth', task_id: id, frame_selection_method: 'manual' } as const
    const truth = await jobs.createJob({ body: { ...body, frames: [1, 4] } }, anna.call)
    const chosen = await media.getJobDataMeta({ id: truth.id }, anna.call)
    expect(chosen).toMatchObject({ start_frame: 3, stop_frame: 19, included_frames: [7, 19] })
  })

  test('frames of a video have one meta entry, and their jobs overlap', async () => {
    const { id } = await addTask({ segment_size: 4 })
    expect(await attach(id, { video_name: 'a.mp4' }, 8)).toEqual({ size: 8, jobs: 3 })
    expect(await rangesOf(id)).toBe('0-3 2-5 4-7')
    expect(await tasks.getTask({ id }, anna.call)).toMatchObject({
      mode: 'interpolation',
      media_type: 'image',
      overlap: 2,
    })
    const { frames, ...whole } = await media.getTaskDataMeta({ id }, anna.call)
    expect([whole.size, frames.map(({ name }) => name)]).toEqual([8, ['a.mp4']])
    const body = { type: 'ground_truth', task_id: id, frame_selection_method: 'manual' } as const
    const truth = await jobs.createJob({ body: { ...body, frames: [1, 4] } }, anna.call)
    const chosen = await media.getJobDataMeta({ id: truth.id }, anna.call)
    expect([chosen.included_frames, chosen.frames]).toEqual([[1, 4], frames])
  })

  test('without a selection all frames of the object store are used', async () => {
    const { id } = await addTask()
    await attach(id, {})
    const whole = await media.getTaskDataMeta({ id }, anna.call)
    expect(whole).toMatchObject({
      start_frame: 0,
      stop_frame: 5,
      frame_filter: '',
      storage: 'local',
    })
  })

  test('listed jobs get replicas like other jobs', async () => {
    const { id } = await addTask({ consensus_replicas: 2 })
    expect(await attach(id, { job_sizes: { frames: [2, 4] } })).toEqual({ size: 6, jobs: 6 })
    expect(await rangesOf(id)).toBe('0-1 2-5 0-1 0-1 2-5 2-5')
  })

  test('a job count sets the segment size that the task shows', async () => {
    const { id } = await addTask()
    expect(await attach(id, { job_count: 4 })).toEqual({ size: 6, jobs: 3 })
    expect(await rangesOf(id)).toBe('0-1 2-3 4-5')
    expect(await tasks.getTask({ id }, anna.call)).toMatchObject({ segment_size: 2, overlap: 0 })
  })

  test.each([
    [{ segment_size: 2 }, { job_count: 2 }, 'job_count cannot be used with segment_size'],
    [
      { segment_size: 2 },
      { job_sizes: { frames: [6] } },
      'job_file_mapping cannot be used with segment_size or overlap',
    ],
    [
      { overlap: 1 },
      { job_sizes: { frames: [6] } },
      'job_file_mapping cannot be used with segment_size or overlap',
    ],
    [
      {},
      { job_sizes: { frames: [2, 3] } },
      'job_file_mapping lists 5 files, but there are 6 frames',
    ],
  ])('a task with %j rejects %j and stays unchanged', async (given, options, text) => {
    const task = await addTask(given)
    await expect(attach(task.id, options)).rejects.toMatchObject({
      kind: 'invalid',
      body: [text],
    })
    expect(await tasks.getTask({ id: task.id }, anna.call)).toEqual(task)
  })

  test('5,001 jobs are rejected with either option', async () => {
    const { id } = await addTask()
    const refused = { body: [expect.stringContaining('at most 5000 are allowed')] }
    const ones = Array.from({ length: 5001 }, () => 1)
    await expect(attach(id, { job_sizes: { frames: ones } }, 5001)).rejects.toMatchObject(refused)
    await expect(attach(id, { job_count: 5001 }, 5001)).rejects.toMatchObject(refused)
    expect(await attach(id, { job_sizes: { frames: ones.slice(1) } }, 5000)).toEqual({
      size: 5000,
      jobs: 5000,
    })
  })
})
