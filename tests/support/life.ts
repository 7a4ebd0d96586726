import type { AnyJson, ApiClient } from './client.ts'
import { jobsOf, rectangle } from './factories.ts'
import { annotationFile, createImages, datasetFile, formOf } from './pictures.ts'

/** Lifetimes of a task and of a project that cause every event of webhooks. See docs/spec/webhooks.md#events. */

const format = 'format=COCO%201.0'

async function work(api: ApiClient, url: string, form?: FormData): Promise<AnyJson> {
  return api.finished(await api.done('POST', url, form && { form }))
}

/**
 * Creates a task, works on it, exports, imports and deletes it. This causes every event of tasks, jobs, issues,
 * comments and requests of tasks.
 *
 * @param before runs before the task is deleted
 */
export async function liveTask(
  api: ApiClient,
  { query = '', ...given }: { query?: string; project_id?: number; labels?: AnyJson[] },
  before: (task: AnyJson) => Promise<unknown> = async () => undefined,
): Promise<void> {
  const json = { name: 'a task', ...given }
  const { id } = await api.done('POST', `/tasks${query}`, { json })
  const url = `/tasks/${id}`
  await work(api, `${url}/data`, formOf(await createImages(2)))
  const task = await api.done('GET', url)
  const [job] = await jobsOf(api, id)
  await api.done('PATCH', `/jobs/${job?.id}`, { json: { state: 'in progress' } })
  await api.done('PATCH', `${url}/annotations/?action=create`, {
    json: { tags: [], tracks: [], shapes: [rectangle(task.labels[0].id)] },
  })
  await review(api, job)
  await work(api, `${url}/dataset/export?${format}&save_images=true`)
  await work(api, `${url}/backup/export`)
  const { result_url } = await work(api, `${url}/dataset/export?${format}`)
  const { bytes } = await api.bytes(result_url)
  await work(api, `${url}/annotations/?${format}`, annotationFile(bytes, 'set.zip'))
  await before(task)
  await api.done('DELETE', url)
}

async function review(api: ApiClient, job: AnyJson): Promise<void> {
  const json = { job: job.id, frame: 0, position: [1, 2], message: 'look' }
  const issue = await api.done('POST', '/issues', { json })
  const fields = { json: { issue: issue.id, message: 'seen' } }
  const comment = await api.done('POST', '/comments', fields)
  await api.done('PATCH', `/comments/${comment.id}`, { json: { message: 'mended' } })
  await api.done('DELETE', `/comments/${comment.id}`)
  await api.done('PATCH', `/issues/${issue.id}`, { json: { resolved: true } })
  await api.done('DELETE', `/issues/${issue.id}`)
}

/**
 * Does the same for a project with such a task.
 *
 * @param query names the organization, if any
 * @param made receives the project before anything else happens to it
 */
export async function liveProject(
  api: ApiClient,
  query: string,
  made: (project: AnyJson) => Promise<unknown>,
): Promise<void> {
  const json = { name: 'a project', labels: [{ name: 'car' }] }
  const project = await api.done('POST', `/projects${query}`, { json })
  const url = `/projects/${project.id}`
  await made(project)
  await api.done('PATCH', url, { json: { name: 'renamed' } })
  await liveTask(api, { project_id: project.id }, async () => {
    const exported = await work(api, `${url}/dataset/export?${format}&save_images=true`)
    const { bytes } = await api.bytes(exported.result_url)
    await work(api, `${url}/dataset/?${format}`, datasetFile(bytes))
  })
  await api.done('DELETE', url)
}
