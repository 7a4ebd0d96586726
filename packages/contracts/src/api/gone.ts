import { idParams } from '../rest/common.ts'
import { failure } from '../rest/failures.ts'
import { defineOperations, get } from './operation.ts'

/** Builds an operation of the old protocol that names its replacement. */
const was = (instead: string) =>
  ({
    by: 'gateway',
    params: idParams,
    gone: instead,
    answers: { 410: failure },
    summary: `Not there any more: use ${instead}`,
  }) as const

/** Removed operations of the de-facto standard that clients may still call; they respond with 410. */
export const goneOperations = defineOperations('GoneService', {
  getProjectDataset: get('/projects/:id/dataset', was('POST /projects/{id}/dataset/export')),
  getProjectBackup: get('/projects/:id/backup', was('POST /projects/{id}/backup/export')),
  getProjectAnnotations: get(
    '/projects/:id/annotations',
    was('POST /projects/{id}/dataset/export'),
  ),
  getTaskDataset: get('/tasks/:id/dataset', was('POST /tasks/{id}/dataset/export')),
  getTaskBackup: get('/tasks/:id/backup', was('POST /tasks/{id}/backup/export')),
  getJobDataset: get('/jobs/:id/dataset', was('POST /jobs/{id}/dataset/export')),
  getCloudStorageContent: get(
    '/cloudstorages/:id/content',
    was('GET /cloudstorages/{id}/content-v2'),
  ),
})
