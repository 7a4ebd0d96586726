import type { AnyJson, ApiClient } from '../../support/client.ts'
import { jobsOf } from '../../support/factories.ts'

/**
 * Everything visible of a project or task that a backup keeps: without ids, dates and users, with names in place of
 * ids.
 */

export async function describeProject(api: ApiClient, id: number): Promise<AnyJson> {
  const project = await api.done('GET', `/projects/${id}`)
  const { results } = await api.done('GET', `/tasks?project_id=${id}&sort=id&page_size=100`)
  const tasks: AnyJson[] = []
  for (const task of results) if (task.size > 0) tasks.push(await describeTask(api, task.id))
  const { name, bug_tracker, status, task_subsets, dimension } = project
  return {
    ...{ name, bug_tracker, status, task_subsets, dimension, tasks },
    labels: labelsOf(project.labels),
    guide: await guideOf(api, project.guide_id),
  }
}

export async function describeTask(api: ApiClient, id: number): Promise<AnyJson> {
  const task = await api.done('GET', `/tasks/${id}`)
  const names = namesOf(task.labels)
  const jobs: AnyJson[] = []
  const order = (await jobsOf(api, id)).sort(inOrder)
  for (const job of order) jobs.push(await describeJob(api, job, names))
  const { chunks_updated_date: _, ...meta } = await api.done('GET', `/tasks/${id}/data/meta`)
  const { name, status, size, mode, subset, bug_tracker, overlap, segment_size } = task
  const { image_quality, data_chunk_size, validation_mode, consensus_enabled } = task
  return {
    ...{ name, status, size, mode, subset, bug_tracker, overlap, segment_size },
    ...{ image_quality, data_chunk_size, validation_mode, consensus_enabled, meta, jobs },
    labels: labelsOf(task.labels),
    guide: task.project_id === null ? await guideOf(api, task.guide_id) : null,
    layout: await api.done('GET', `/tasks/${id}/validation_layout`),
    pictures: await picturesOf(api, id, size),
  }
}

const inOrder = (one: AnyJson, other: AnyJson) =>
  (one.parent_job_id ?? one.id) - (other.parent_job_id ?? other.id) || one.id - other.id

async function describeJob(api: ApiClient, job: AnyJson, names: Names): Promise<AnyJson> {
  const { type, status, stage, state, start_frame, stop_frame, frame_count } = job
  const { tags, shapes, tracks } = await api.done('GET', `/jobs/${job.id}/annotations/`)
  const issues: AnyJson[] = []
  const found = await api.done('GET', `/issues?job_id=${job.id}&sort=id&page_size=100`)
  for (const issue of found.results) issues.push(await describeIssue(api, issue))
  const sets = [tags, shapes, tracks].map((list) => list.map((one: AnyJson) => named(one, names)))
  const fields = { type, status, stage, state, start_frame, stop_frame, frame_count }
  return { ...fields, sets, issues }
}

async function describeIssue(
  api: ApiClient,
  { id, frame, position, resolved }: AnyJson,
): Promise<AnyJson> {
  const { results } = await api.done('GET', `/comments?issue_id=${id}&sort=id&page_size=100`)
  return { frame, position, resolved, comments: results.map((one: AnyJson) => one.message) }
}

type Names = ReadonlyMap<string, string>

function namesOf(labels: AnyJson[]): Names {
  const all = labels.flatMap((label) => [label, ...label.sublabels])
  return new Map([
    ...all.map((one): [string, string] => [`label ${one.id}`, one.name]),
    ...all.flatMap((one) =>
      one.attributes.map((spec: AnyJson): [string, string] => [`spec ${spec.id}`, spec.name]),
    ),
  ])
}

/** Copies an object with the names of its references in place of ids. */
function named(value: AnyJson, names: Names): AnyJson {
  if (Array.isArray(value)) return value.map((one) => named(one, names))
  if (typeof value !== 'object' || value === null) return value
  const { id: _, label_id, spec_id, ...rest } = value
  const members = Object.entries(rest).map(([key, one]) => [key, named(one, names)])
  return {
    ...Object.fromEntries(members),
    ...(label_id !== undefined && { label: names.get(`label ${label_id}`) }),
    ...(spec_id !== undefined && { spec: names.get(`spec ${spec_id}`) }),
  }
}

/** Drawings of skeletons contain ids of sublabels. */
const labelsOf = (labels: AnyJson[]): AnyJson[] =>
  labels.map(({ name, color, type, attributes, sublabels, svg }) => ({
    ...{ name, color, type },
    attributes: attributes.map(({ id: _, ...attribute }: AnyJson) => attribute),
    sublabels: labelsOf(sublabels ?? []),
    svg: sublabels?.reduce(
      (text: string, one: AnyJson) => text.replace(`data-label-id="${one.id}"`, one.name),
      svg ?? '',
    ),
  }))

async function guideOf(api: ApiClient, id: number | null): Promise<AnyJson> {
  if (id === null) return null
  const { markdown } = await api.done('GET', `/guides/${id}`)
  const assets: string[] = []
  for (const [, uuid] of markdown.matchAll(/\/api\/assets\/([\da-f-]{36})/g))
    assets.push((await api.bytes(`/assets/${uuid}`)).bytes.toString('base64'))
  return { markdown: markdown.replace(/[\da-f-]{36}/g, 'an asset'), assets }
}

async function picturesOf(api: ApiClient, id: number, size: number): Promise<string[]> {
  const pictures: string[] = []
  for (let frame = 0; frame < size; frame++) {
    const query = `type=frame&number=${frame}&quality=original`
    const { status, bytes } = await api.bytes(`/tasks/${id}/data?${query}`)
    pictures.push(`${status} ${bytes.toString('base64')}`)
  }
  return pictures
}
