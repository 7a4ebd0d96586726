import type { AnyJson, ApiClient } from './client.ts'
import { createImages, formOf, type ImageFile } from './pictures.ts'

interface GivenTask {
  files?: ImageFile[]
  labels?: AnyJson[]
  project_id?: number
  segment_size?: number
  /** Slug of the organization of the task. */
  org?: string
}

/** Creates a task whose media is ready; by default with 4 frames and the label `car`. */
export async function taskWithMedia(api: ApiClient, given: GivenTask = {}): Promise<AnyJson> {
  const { files = await createImages(4), project_id, segment_size, org } = given
  const labels = project_id ? undefined : (given.labels ?? [{ name: 'car' }])
  const json = { name: 'a task', labels, project_id, segment_size }
  const { id } = await api.done('POST', org ? `/tasks?org=${org}` : '/tasks', { json })
  await api.finished(await api.done('POST', `/tasks/${id}/data`, { form: formOf(files) }))
  return api.done('GET', `/tasks/${id}`)
}

export async function jobsOf(api: ApiClient, taskId: number): Promise<AnyJson[]> {
  const { results } = await api.done('GET', `/jobs?task_id=${taskId}&sort=id&page_size=100`)
  return results
}

export const rectangle = (label_id: number, frame = 0, points = [1, 2, 30, 40]) => ({
  type: 'rectangle',
  label_id,
  frame,
  points,
})
