import type { S3Server } from '@reticle/kit/testing/s3-server'
import { bucketOf } from '../../support/buckets.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf, rectangle } from '../../support/factories.ts'
import type { RegisteredUser } from '../../support/people.ts'
import { assetForm, createImage, createImages, formOf } from '../../support/pictures.ts'
import { addProject, addTask } from '../backups/world.ts'

/** Fills a server with personal objects, and with an organization with objects of every kind. */
export async function makeWorld(
  api: ApiClient,
  { anna, bob, s3 }: { anna: RegisteredUser; bob: RegisteredUser; s3: S3Server },
) {
  const post = (path: string, json: AnyJson) => api.done('POST', path, { json })
  const personal = { project: await addProject(api), task: await addTask(api) }
  const empty = await post('/tasks', { name: 'Empty', labels: [{ name: 'car' }, person] })

  const about = { slug: 'acme', name: 'Acme', description: 'Roads', contact: { email: 'a@b.org' } }
  const organization = await post('/organizations', about)
  for (const { email, role } of [
    { email: anna.email, role: 'supervisor' },
    { email: bob.email, role: 'worker' },
  ])
    await post('/invitations?org=acme', { email, role })
  const storage = await post('/cloudstorages?org=acme', bucketOf(s3, 'frames', { 'a.png': 'x' }))
  const labels = [{ name: 'car' }]
  const target_storage = { location: 'cloud_storage', cloud_storage_id: storage.id }
  const project = await post('/projects?org=acme', { name: 'Roads', labels, target_storage })
  await api.done('PATCH', `/projects/${project.id}`, { json: { assignee_id: anna.id } })
  const task = await addAnnotated(api, project, 'Monday')
  const [first, second] = await jobsOf(api, task.id)
  await api.done('PATCH', `/jobs/${first?.id}`, {
    json: { assignee: bob.id, stage: 'validation', state: 'in progress' },
  })
  await api.done('PATCH', `/jobs/${second?.id}`, {
    json: { assignee: anna.id, stage: 'acceptance', state: 'completed' },
  })
  const issue = { job: second?.id, frame: 2, position: [1, 2, 3, 4], message: 'too wide' }
  const { id } = await anna.api.done('POST', '/issues', { json: issue })
  await post('/comments', { issue: id, message: 'now?' })
  await api.done('PATCH', `/issues/${id}`, { json: { assignee: anna.id } })
  const hook = { target_url: 'http://127.0.0.1:9/hook', events: 'update:task,create:job' }
  const webhooks = [
    await post('/webhooks?org=acme', { ...hook, type: 'organization', secret: 'a secret' }),
    await post('/webhooks?org=acme', { ...hook, type: 'project', project_id: project.id }),
  ]
  return { personal, empty, organization, storage, project, task, issue: id, webhooks }
}

/** Adds a task of four frames in jobs of two, with a box on the first. */
export async function addAnnotated(
  api: ApiClient,
  project: AnyJson,
  name: string,
): Promise<AnyJson> {
  const json = { name, project_id: project.id, segment_size: 2 }
  const { id } = await api.done('POST', '/tasks', { json })
  const form = formOf(await createImages(4))
  await api.finished(await api.done('POST', `/tasks/${id}/data`, { form }))
  const shapes = [rectangle(project.labels[0].id), rectangle(project.labels[0].id, 3)]
  await api.done('PUT', `/tasks/${id}/annotations/`, { json: { shapes } })
  return api.done('GET', `/tasks/${id}`)
}

/** Creates an organization with a project that has a task whose bucket was deleted. */
export async function makeBroken(api: ApiClient, s3: S3Server) {
  await api.done('POST', '/organizations', { json: { slug: 'parts' } })
  const labels = [{ name: 'car', color: '#010203' }, person]
  const json = { name: 'Broken', bug_tracker: 'https://bugs.example.org/1', labels }
  const project = await api.done('POST', '/projects?org=parts', { json })
  const guide = await api.done('POST', '/guides', { json: { project_id: project.id } })
  const form = assetForm(guide.id, await createImage('box.png', 8, 8))
  const { uuid } = await api.done('POST', '/assets', { form })
  const markdown = `# Boxes\n![box](/api/assets/${uuid})`
  await api.done('PATCH', `/guides/${guide.id}`, { json: { markdown } })
  await addAnnotated(api, project, 'kept')
  const bytes = (await createImage('b.png', 8, 8)).bytes
  const bucket = bucketOf(s3, 'gone', { 'b.png': bytes })
  const storage = await api.done('POST', '/cloudstorages?org=parts', { json: bucket })
  const lost = await api.done('POST', '/tasks', { json: { name: 'lost', project_id: project.id } })
  const data = { server_files: ['b.png'], cloud_storage_id: storage.id }
  await api.finished(await api.done('POST', `/tasks/${lost.id}/data`, { json: data }))
  s3.buckets.get('gone')?.delete('b.png')
  return { project, lost }
}

const person = {
  name: 'person',
  type: 'skeleton',
  sublabels: [{ name: 'head', type: 'points' }],
  svg: '<circle r="1" cx="10" cy="10" data-type="element node" data-element-id="1" data-node-id="1" data-label-name="head"></circle>',
}
