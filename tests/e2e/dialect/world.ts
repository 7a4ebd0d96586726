import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf } from '../../support/factories.ts'
import { createImages, formOf } from '../../support/pictures.ts'
import { begin } from '../../support/tus.ts'

/** One object of every kind that can be read. */
export type DialectWorld = Awaited<ReturnType<typeof makeWorld>>

const make = { name: 'make', mutable: false, input_type: 'text', default_value: '', values: [] }
const person = {
  name: 'person',
  type: 'skeleton',
  sublabels: [{ name: 'head', type: 'points' }],
  svg: '<circle r="1" cx="10" cy="10" data-type="element node" data-element-id="1" data-node-id="1" data-label-name="head"></circle>',
}

export async function makeWorld(api: ApiClient, receiver: string) {
  const post = (path: string, json: AnyJson) => api.done('POST', path, { json })
  const labels = [{ name: 'car', attributes: [make] }, person]
  const project = await post('/projects', { name: 'Street scenes', labels })
  const task = await post('/tasks', { name: 'Batch', project_id: project.id, segment_size: 3 })
  const form = formOf(await createImages(6))
  await api.finished(await api.done('POST', `/tasks/${task.id}/data`, { form }))
  const empty = await post('/tasks', { name: 'Empty', labels: [{ name: 'car' }] })
  const [job] = await jobsOf(api, task.id)
  const { results } = await api.done('GET', `/labels?project_id=${project.id}&sort=id`)
  const car = results.find((one: AnyJson) => one.name === 'car')
  await annotate(api, job.id, {
    car,
    person: results.find((one: AnyJson) => one.name === 'person'),
  })
  const truth = await post('/jobs', {
    ...{ type: 'ground_truth', task_id: task.id, frame_selection_method: 'manual', frames: [1] },
  })

  const issue = await post('/issues', { job: job.id, frame: 0, position: [1, 2], message: 'look' })
  const { results: comments } = await api.done('GET', `/comments?issue_id=${issue.id}`)
  const guide = await post('/guides', { project_id: project.id, markdown: '# Draw' })
  const asset = await addAsset(api, guide.id)
  const token = await post('/auth/access_tokens', { name: 'ci', expiry_date: '31/12/2099' })
  const organization = await post('/organizations', { slug: 'acme' })
  const invitation = await api.done('POST', '/invitations?org=acme', {
    json: { email: 'somebody@example.org', role: 'worker' },
  })
  const membership = (await api.done('GET', '/memberships?org=acme')).results[0]
  const events = 'create:task,completed:request[create:task]'
  const hook = { target_url: receiver, type: 'project', project_id: project.id, events }
  const webhook = await post('/webhooks', hook)
  const delivery = await post(`/webhooks/${webhook.id}/ping`, {})
  return {
    ...{ project, task, empty, job, truth, car, issue, comment: comments[0], guide, asset, token },
    ...{ organization, invitation, membership, webhook, delivery },
    ...(await makeFiles(api, { project, task, job })),
    user: await api.done('GET', '/users/self'),
  }
}

/** Creates results of exports, and unfinished uploads. */
async function makeFiles(api: ApiClient, { project, task, job }: Record<string, AnyJson>) {
  const exported = async (path: string) => {
    const { rq_id } = await api.done('POST', path)
    await api.finished({ rq_id })
    return encodeURIComponent(rq_id)
  }
  const named = '?format=Service%20for%20images%201.1'
  const started = async (path: string) => {
    const { headers } = await begin(api, path, { name: 'a.zip', length: 10 })
    return headers.get('location')?.split('/').at(-1) ?? ''
  }
  return {
    results: {
      project: await exported(`/projects/${project.id}/dataset/export${named}`),
      task: await exported(`/tasks/${task.id}/dataset/export${named}`),
      job: await exported(`/jobs/${job.id}/dataset/export${named}`),
      events: await exported('/events/export'),
      projectBackup: await exported(`/projects/${project.id}/backup/export`),
      taskBackup: await exported(`/tasks/${task.id}/backup/export`),
    },
    files: {
      ofData: await startedData(api),
      ofTask: await started(`/tasks/${task.id}/annotations/`),
      ofJob: await started(`/jobs/${job.id}/annotations/`),
      ofProject: await started(`/projects/${project.id}/dataset/`),
      ofProjectBackup: await started('/projects/backup/'),
      ofTaskBackup: await started('/tasks/backup/'),
    },
  }
}

async function startedData(api: ApiClient) {
  const { id } = await api.done('POST', '/tasks', { json: { name: 'In pieces' } })
  await api.done('POST', `/tasks/${id}/data`, { headers: { 'upload-start': '' } })
  const { headers } = await begin(api, `/tasks/${id}/data/`, { name: 'a.png', length: 10 })
  return `/tasks/${id}/data/${headers.get('location')?.split('/').at(-1)}`
}

/** Writes annotations of every kind, in two revisions. */
async function annotate(api: ApiClient, job: number, { car, person }: Record<string, AnyJson>) {
  const ellipse = { type: 'ellipse', points: [32, 24, 10, 5] }
  const box = { type: 'rectangle', points: [1, 2, 30, 40] }
  const elements = [{ type: 'points', frame: 1, label_id: person.sublabels[0].id, points: [3, 4] }]
  const json = {
    tags: [{ frame: 0, label_id: car.id }],
    shapes: [
      { ...ellipse, frame: 0, label_id: car.id },
      { ...box, frame: 2, label_id: car.id },
      { type: 'skeleton', frame: 1, label_id: person.id, elements },
    ],
    tracks: [
      {
        ...{ frame: 0, label_id: car.id },
        shapes: [
          { ...ellipse, frame: 0 },
          { ...ellipse, frame: 1, keyframe: false },
          { ...ellipse, frame: 2 },
        ],
      },
    ],
  }
  await api.done('PUT', `/jobs/${job}/annotations`, { json })
  const shapes = [{ ...ellipse, frame: 1, label_id: car.id }]
  await api.done('PATCH', `/jobs/${job}/annotations?action=create`, { json: { shapes } })
}

async function addAsset(api: ApiClient, guide: number): Promise<AnyJson> {
  const [file] = await createImages(1)
  const form = new FormData()
  form.append('guide_id', String(guide))
  form.append('file', new Blob([Buffer.from(file?.bytes ?? [])], { type: 'image/png' }), 'a.png')
  return api.done('POST', '/assets', { form })
}
