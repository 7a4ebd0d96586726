import type { Request } from '@reticle/contracts/rest/requests'
import type { Told } from './server-events.ts'

const dataset = /^(import|export):(dataset|annotations)$/

/**
 * A data set that was written or read to its end (`spec/api-workspace.md` 6.2). Exports of annotations alone are exports of
 * the data set without its images.
 */
export function datasetEvents({ status, operation }: Request): Told[] {
  const [, action, what] = dataset.exec(operation.type) ?? []
  if (status !== 'finished' || action === undefined) return []
  const { format, project_id, task_id, job_id } = operation
  const images = action === 'export' ? { save_images: what === 'dataset' } : {}
  const payload = { format, ...images }
  return [{ scope: `${action}:dataset`, project_id, task_id, job_id, payload }]
}
