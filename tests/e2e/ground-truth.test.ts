import { beforeAll, expect, test } from 'vitest'
import { type ApiClient, createApiClient } from '../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../support/factories.ts'
import { createImages, formOf } from '../support/pictures.ts'
import { basic, type ServerUnderTest, shareReticle } from '../support/reticle.ts'

/** Ground truth jobs from creation to annotations. */

let reticle: ServerUnderTest
let admin: ApiClient
beforeAll(async () => {
  reticle = await shareReticle()
  admin = reticle.admin
})

test('frames of a ground truth job are annotated independently of the jobs of the task', async () => {
  const task = await taskWithMedia(admin, { segment_size: 2 })
  const [label] = task.labels
  const json = {
    ...{ type: 'ground_truth', task_id: task.id },
    ...{ frame_selection_method: 'manual', frames: [3, 1] },
  }
  const truth = await admin.done('POST', '/jobs', { json })
  expect(truth).toMatchObject({ frame_count: 2, start_frame: 0, stop_frame: 3 })
  expect((await admin.call('POST', '/jobs', { json })).status).toBe(400)
  const meta = await admin.done('GET', `/jobs/${truth.id}/data/meta`)
  expect(meta).toMatchObject({ size: 2, included_frames: [1, 3] })
  expect(meta.frames[0].name).toBe('placeholder.jpg')

  const annotations = `/jobs/${truth.id}/annotations/`
  const shapes = [rectangle(label.id, 1), rectangle(label.id, 3)]
  await admin.done('PUT', annotations, { json: { shapes } })
  expect((await admin.done('GET', `/jobs/${truth.id}`)).state).toBe('in progress')
  const outside = await admin.call('PUT', annotations, {
    json: { shapes: [rectangle(label.id, 2)] },
  })
  expect(outside.status).toBe(400)
  expect((await admin.done('GET', `/tasks/${task.id}/annotations/`)).shapes).toEqual([])

  const layout = `/tasks/${task.id}/validation_layout`
  await admin.done('PATCH', layout, { json: { disabled_frames: [3] } })
  expect(await admin.done('GET', layout)).toEqual({
    mode: 'gt',
    validation_frames: [1, 3],
    disabled_frames: [3],
  })
  expect(await admin.done('GET', `/jobs/${truth.id}/validation_layout`)).toEqual({})

  await admin.done('DELETE', `/jobs/${truth.id}`)
  expect(await admin.done('GET', layout)).toEqual({ mode: null })
  const [first] = await jobsOf(admin, task.id)
  expect((await admin.call('DELETE', `/jobs/${first.id}`)).status).toBe(400)
})

test.each(['/api', '/as/cvat/api'])(
  'deleting a frame of a ground truth job on %s does not delete it from the task',
  async (mount) => {
    const api = createApiClient(`${reticle.url}${mount}`, basic)
    const task = await taskWithMedia(admin)
    const selection = { frame_selection_method: 'manual', frames: [0, 2, 3] }
    const json = { type: 'ground_truth', task_id: task.id, ...selection }
    const { id } = await admin.done('POST', '/jobs', { json })
    const shapes = [0, 2, 3].map((frame) => rectangle(task.labels[0].id, frame))
    await admin.done('PUT', `/jobs/${id}/annotations/`, { json: { shapes } })
    const patch = async (deleted_frames: number[]) =>
      (await api.done('PATCH', `/jobs/${id}/data/meta`, { json: { deleted_frames } }))
        .deleted_frames
    const layoutOf = async () =>
      (await api.done('GET', `/tasks/${task.id}/validation_layout`)).disabled_frames
    const deletedOf = async () =>
      (await api.done('GET', `/tasks/${task.id}/data/meta`)).deleted_frames
    const exported = async (of: string) => {
      const query = 'format=COCO%201.0&save_images=false'
      const started = await admin.done('POST', `${of}/dataset/export?${query}`)
      return (await admin.finished(started)).report.created.shapes
    }

    expect(await patch([3])).toEqual([3])
    expect([await layoutOf(), await deletedOf()]).toEqual([[3], []])
    expect(await exported(`/jobs/${id}`)).toBe(2)
    await admin.done('PATCH', `/tasks/${task.id}/data/meta`, { json: { deleted_frames: [2] } })
    expect(await patch([])).toEqual([2])
    expect([await layoutOf(), await deletedOf()]).toEqual([[], [2]])
    expect(await exported(`/jobs/${id}`)).toBe(2)
  },
)

test('ground truth and replicas can be requested before the media is attached', async () => {
  const json = { name: 't', labels: [{ name: 'car' }], segment_size: 2, consensus_replicas: 2 }
  const { id } = await admin.done('POST', '/tasks', { json })
  const form = formOf(await createImages(4))
  const validation = {
    mode: 'gt',
    frame_selection_method: 'random_per_job',
    frames_per_job_count: 1,
  }
  form.append('validation_params', JSON.stringify(validation))
  await admin.finished(await admin.done('POST', `/tasks/${id}/data`, { form }))
  const task = await admin.done('GET', `/tasks/${id}`)
  expect(task).toMatchObject({
    validation_mode: 'gt',
    consensus_enabled: true,
    jobs: { count: 7 },
  })
  const types = (await jobsOf(admin, id)).map((one) => one.type)
  const replicas = Array(4).fill('consensus_replica')
  expect(types).toEqual(['annotation', 'annotation', ...replicas, 'ground_truth'])
})
