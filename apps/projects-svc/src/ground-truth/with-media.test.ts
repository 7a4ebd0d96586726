import { randomUUID } from 'node:crypto'
import type { ValidationParams } from '@reticle/contracts/rest/validation'
import { transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { frameAt, frameLines, testWorkspace } from '../testing/workspace.ts'

/** `validation_params` of attached media: ground truth created together with the jobs. */

const { addUser, over, takeEvents } = await testWorkspace()
const anna = await addUser()

describe.each(transports)('%s', (transport) => {
  const { tasks, jobs, media } = over(transport)
  const addTask = (segment_size = 0) =>
    tasks.createTask({ body: { name: 't', segment_size } }, anna.call)
  const attachWith = (task_id: number, validation_params: ValidationParams) => {
    const query = { task_id, call_id: randomUUID(), image_quality: 60, chunk_size: 5 }
    const body = frameLines(Array.from({ length: 6 }, (_, index) => frameAt(index)))
    return media.attachMedia({ ...query, validation_params, body }, anna.call)
  }
  const truthOf = async (task_id: number) => {
    const { results } = await jobs.listJobs({ task_id, type: 'ground_truth' }, anna.call)
    return results
  }
  const byName = (...names: number[]) => ({
    mode: 'gt' as const,
    frame_selection_method: 'manual' as const,
    frames: names.map((index) => `images/${index}.jpg`),
  })

  test('ground truth of named files is created with the jobs', async () => {
    const { id } = await addTask(3)
    await takeEvents()
    expect(await attachWith(id, byName(5, 1))).toEqual({ size: 6, jobs: 2 })
    const task = await tasks.getTask({ id }, anna.call)
    expect(task).toMatchObject({ validation_mode: 'gt', jobs: { count: 3 } })
    const [truth] = await truthOf(id)
    expect(truth).toMatchObject({ start_frame: 0, stop_frame: 5, frame_count: 2 })
    const layout = await tasks.getTaskValidationLayout({ id }, anna.call)
    expect(layout).toMatchObject({ validation_frames: [1, 5] })
    const [update, ...created] = await takeEvents()
    expect(update).toMatchObject({ type: 'update:task', data: { task } })
    expect(created.map(({ type }) => type)).toEqual(Array(3).fill('create:job'))
    expect(created[2]?.data).toEqual({ job: truth })
  })

  test('ground truth is drawn from each job', async () => {
    const { id } = await addTask(3)
    const method = 'random_per_job' as const
    const drawn = { frame_selection_method: method, frames_per_job_count: 2, random_seed: 1 }
    await attachWith(id, { mode: 'gt', ...drawn })
    expect(await truthOf(id)).toMatchObject([{ frame_count: 4 }])
  })

  test.each([
    ['a file that is not there', byName(1, 6), "none of the images is called 'images/6.jpg'"],
    [
      'more frames than there are',
      { mode: 'gt', frame_selection_method: 'random_uniform', frame_count: 7 } as const,
      'frame_count: The task has only 6 frames',
    ],
  ])('ground truth of %s fails the whole call with a message', async (_, attempt, text) => {
    const task = await addTask()
    await expect(attachWith(task.id, attempt)).rejects.toMatchObject({
      kind: 'invalid',
      body: [expect.stringContaining(`validation_params: ${text}`)],
    })
    expect(await tasks.getTask({ id: task.id }, anna.call)).toEqual(task)
  })
})
