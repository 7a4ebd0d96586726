import { idParams } from '../rest/common.ts'
import { failure } from '../rest/failures.ts'
import { defineOperations, get } from './operation.ts'

/** Builds an operation of the old protocol that names its replacement. */
const replacedBy = (replacement: string) =>
  ({
    by: 'gateway',
    params: idParams,
    gone: replacement,
    answers: { 410: failure },
    summary: `Removed: use ${replacement}`,
  }) as const

/** Removed operations of the de-facto standard that clients may still call; they respond with 410. */
export const removedOperations = defineOperations('GoneService', {
  getProjectDataset: get('/projects/:id/dataset', replacedBy('POST /projects/{id}/dataset/export')),
  getProjectBackup: get('/projects/:id/backup', replacedBy('POST /projects/{id}/backup/export')),
  getProjectAnnotations: get(
    '/projects/:id/annotations',
    replacedBy('POST /projects/{id}/dataset/export'),
  ),
  getTaskDataset: get('/tasks/:id/dataset', replacedBy('POST /tasks/{id}/dataset/export')),
  getTaskBackup: get('/tasks/:id/backup', replacedBy('POST /tasks/{id}/backup/export')),
  getJobDataset: get('/jobs/:id/dataset', replacedBy('POST /jobs/{id}/dataset/export')),
  getCloudStorageContent: get(
    '/cloudstorages/:id/content',
    replacedBy('GET /cloudstorages/{id}/content-v2'),
  ),
})
