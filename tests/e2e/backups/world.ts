import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { assetForm, createImage, createImages, formOf } from '../../support/pictures.ts'

/** Creates a project with every kind of object that a backup keeps. */
export async function addProject(api: ApiClient): Promise<AnyJson> {
  const project = await api.done('POST', '/projects', {
    json: { name: 'Street/Scenes', labels, bug_tracker: 'https://bugs.example.com/7' },
  })
  await api.done('PATCH', `/projects/${project.id}`, { json: { status: 'validation' } })
  const guide = await api.done('POST', '/guides', { json: { project_id: project.id } })
  const asset = await api.done('POST', '/assets', {
    form: assetForm(guide.id, await createImage('mirror (1).png', 8, 8)),
  })
  const markdown = `# Guide\n![mirror](/api/assets/${asset.uuid})`
  await api.done('PATCH', `/guides/${guide.id}`, { json: { markdown } })
  await addAnnotated(api, project)
  await addListed(api, project)
  await api.done('POST', '/tasks', { json: { name: 'no media', project_id: project.id } })
  return api.done('GET', `/projects/${project.id}`)
}

const parts = ['head', 'hand'].map((name) => ({ name, type: 'points' }))
const circles = parts.map(
  ({ name }, at) =>
    `<circle r="1" cx="${10 + at * 50}" cy="20" data-type="element node" data-element-id="${at + 1}" data-node-id="${at + 1}" data-label-name="${name}"></circle>`,
)
const labels = [
  {
    ...{ name: 'car', color: '#ff0000' },
    attributes: [
      { name: 'plate', mutable: false, input_type: 'text', default_value: '', values: [] },
      { name: 'parked', mutable: true, input_type: 'checkbox', default_value: 'false', values: [] },
    ],
  },
  { name: 'night', type: 'tag' },
  { name: 'person', type: 'skeleton', sublabels: parts, svg: circles.join('') },
]

/** Adds a task of eight frames in jobs of four with an overlap of one. */
async function addAnnotated(api: ApiClient, project: AnyJson): Promise<void> {
  const files = await createImages(8)
  const json = { name: 'Batch 1', project_id: project.id, subset: 'train', overlap: 1 }
  const { id } = await api.done('POST', '/tasks', { json: { ...json, segment_size: 4 } })
  const fields = { image_quality: '90', chunk_size: '5', start_frame: '0' }
  const form = formOf(files, fields)
  await api.finished(await api.done('POST', `/tasks/${id}/data`, { form }))
  const truth = { type: 'ground_truth', task_id: id, frame_selection_method: 'manual' }
  const check = await api.done('POST', '/jobs', { json: { ...truth, frames: [1, 6] } })
  await api.done('PATCH', `/tasks/${id}/data/meta`, { json: { deleted_frames: [7] } })
  const disabled = { disabled_frames: [6] }
  await api.done('PATCH', `/tasks/${id}/validation_layout`, { json: disabled })
  const set = annotations(project.labels)
  await api.done('PUT', `/tasks/${id}/annotations/`, { json: set })
  const [car] = project.labels
  const own = { shapes: [rectangle(car.id, 1, [0.1, 0.2, 9.7, 9.9])] }
  await api.done('PUT', `/jobs/${check.id}/annotations/`, { json: own })
  await review(api, id)
}

function annotations([car, night, person]: AnyJson[]): AnyJson {
  const [plate, parked] = car.attributes
  const isParked = [{ spec_id: parked.id, value: 'true' }]
  const elements = person.sublabels.map((one: AnyJson, at: number) => ({
    ...{ type: 'points', label_id: one.id, frame: 1, points: [10.5 + at, 12], outside: at > 0 },
  }))
  const at = (frame: number, points: number[], more = {}) => ({
    ...{ type: 'rectangle', frame, points, attributes: isParked, ...more },
  })
  const shape = (type: string, points: number[], more = {}) => ({
    ...{ type, label_id: car.id, frame: 1, points, ...more },
  })
  return {
    tags: [{ label_id: night.id, frame: 0, group: 3 }],
    shapes: [
      shape('ellipse', [20.1, 22.3, 5.7, 4.9], { rotation: 15, score: 0.25, source: 'auto' }),
      shape('polygon', [1, 1, 20.25, 2, 10, 30.5], { group: 3, z_order: 2, occluded: true }),
      shape('polyline', [1, 1, 20.25, 2]),
      shape('points', [5, 5]),
      shape('mask', [2, 3, 1, 3, 4, 4, 6], {
        attributes: [{ spec_id: plate.id, value: 'Ö & <x>' }],
      }),
      { ...shape('skeleton', []), label_id: person.id, elements },
    ],
    tracks: [
      {
        ...{ label_id: car.id, frame: 0, attributes: [{ spec_id: plate.id, value: 'M 1' }] },
        shapes: [at(0, [1, 1, 9, 9]), at(2, [3, 1, 9, 9]), at(6, [7, 1, 9, 9], { outside: true })],
      },
    ],
  }
}

async function review(api: ApiClient, task_id: number): Promise<void> {
  const [first, second] = await jobsOf(api, task_id)
  const pinned = { job: second?.id, frame: 4, position: [1, 2, 30, 40], message: 'one' }
  const issue = await api.done('POST', '/issues', { json: pinned })
  await api.done('POST', '/comments', { json: { issue: issue.id, message: 'two' } })
  await api.done('PATCH', `/issues/${issue.id}`, { json: { resolved: true } })
  const done = { stage: 'acceptance', state: 'completed' }
  await api.done('PATCH', `/jobs/${first?.id}`, { json: done })
  await api.done('PATCH', `/jobs/${second?.id}`, { json: { stage: 'validation', state: 'new' } })
}

/** Adds a task whose jobs list their files, with three consensus replicas each. */
async function addListed(api: ApiClient, project: AnyJson): Promise<void> {
  const json = { name: 'Batch 2', project_id: project.id, consensus_replicas: 2 }
  const { id } = await api.done('POST', '/tasks', { json })
  const [one, two, three] = (await createImages(3)).map(({ name }) => name)
  const mapping = JSON.stringify([[three], [one, two]])
  const form = formOf(await createImages(3), { job_file_mapping: mapping })
  await api.finished(await api.done('POST', `/tasks/${id}/data`, { form }))
  const jobs = await jobsOf(api, id)
  const [car] = project.labels
  for (const [at, job] of jobs.entries()) {
    const shapes = [rectangle(car.id, job.start_frame, [at, 1, 20, 20])]
    await api.done('PUT', `/jobs/${job.id}/annotations/`, { json: { shapes } })
  }
}

/** Creates a task outside of projects, with a guide and chosen frames. */
export async function addTask(api: ApiClient): Promise<AnyJson> {
  const { id, labels: own } = await taskWithMedia(api, { labels: [{ name: 'car' }] })
  const markdown = 'Draw tight boxes.'
  await api.done('POST', '/guides', { json: { task_id: id, markdown } })
  const json = { shapes: [rectangle(own[0].id)] }
  await api.done('PUT', `/tasks/${id}/annotations/`, { json })
  return api.done('GET', `/tasks/${id}`)
}
