import type { Operation } from '@reticle/contracts/api/operation'
import { queries } from '../../support/accepted.ts'
import type { DialectCall } from './compare.ts'
import type { DialectWorld } from './world.ts'

/** Address of each read, by the name of its operation, where the default ids of its resource do not fit. */
const paths: Record<string, (world: DialectWorld) => string> = {
  listLabels: ({ task }) => `/labels?task_id=${task.id}`,
  getTaskDataFile: ({ files }) => files.ofData,
  getTaskAnnotationsFile: ({ task, files }) => `/tasks/${task.id}/annotations/${files.ofTask}`,
  getJobAnnotationsFile: ({ job, files }) => `/jobs/${job.id}/annotations/${files.ofJob}`,
  getProjectDatasetFile: ({ project, files }) =>
    `/projects/${project.id}/dataset/${files.ofProject}`,
  getProjectBackupFile: ({ files }) => `/projects/backup/${files.ofProjectBackup}`,
  getTaskBackupFile: ({ files }) => `/tasks/backup/${files.ofTaskBackup}`,
  downloadProjectDataset: ({ project, results }) =>
    `/projects/${project.id}/dataset/download?rq_id=${results.project}`,
  downloadTaskDataset: ({ task, results }) =>
    `/tasks/${task.id}/dataset/download?rq_id=${results.task}`,
  downloadJobDataset: ({ job, results }) => `/jobs/${job.id}/dataset/download?rq_id=${results.job}`,
  downloadProjectBackup: ({ project, results }) =>
    `/projects/${project.id}/backup/download?rq_id=${results.projectBackup}`,
  downloadTaskBackup: ({ task, results }) =>
    `/tasks/${task.id}/backup/download?rq_id=${results.taskBackup}`,
  downloadEvents: ({ results }) => `/events/download?rq_id=${results.events}`,
  getEvents: () => '/events?action=status',
  getJobRevision: ({ job }) => `/jobs/${job.id}/annotations/revisions/1`,
  getJobAnnotationsDiff: ({ job }) => `/jobs/${job.id}/annotations/diff?from=1`,
}

const ids: Record<string, (world: DialectWorld) => unknown> = {
  users: ({ user }) => user.id,
  access_tokens: ({ token }) => token.id,
  organizations: ({ organization }) => organization.id,
  memberships: ({ membership }) => membership.id,
  projects: ({ project }) => project.id,
  labels: ({ car }) => car.id,
  tasks: ({ task }) => task.id,
  jobs: ({ job }) => job.id,
  issues: ({ issue }) => issue.id,
  comments: ({ comment }) => comment.id,
  guides: ({ guide }) => guide.id,
  webhooks: ({ webhook }) => webhook.id,
  cloudstorages: () => 1, // no storage with this id exists
}

/**
 * Returns the call of a read operation.
 * @throws Error for a resource without a known id
 */
export function readOf({ name, path }: Operation, world: DialectWorld): DialectCall {
  const known = paths[name]?.(world)
  const [, resource = ''] = /([a-z_]+)\/:id/.exec(path) ?? []
  const id = ids[resource]?.(world)
  if (path.includes(':id') && !known && id === undefined) throw new Error(`no id for ${path}`)
  const filled = path
    .replace(':id', String(id))
    .replace(':key', name === 'followEmailLink' ? 'k'.repeat(64) : world.invitation.key)
    .replace(':uuid', world.asset.uuid)
    .replace(':rq_id', world.results.task)
    .replace(':delivery_id', world.delivery.id)
  return {
    method: 'GET',
    path: known ?? filled + (queries[name] ?? ''),
    isEndless: name === 'streamRequests',
    ...(name === 'getCurrentAccessToken' && {
      headers: { authorization: `Token ${world.token.value}` },
    }),
  }
}
