import type { Request } from '@reticle/contracts/rest/requests'
import type { LogEvent } from './server-events.ts'

const dataset = /^(import|export):(dataset|annotations)$/

/**
 * Returns a log event for a finished export or import of a dataset. An export of annotations only is logged as a
 * dataset export without images.
 */
export function datasetEvents({ status, operation }: Request): LogEvent[] {
  const [, action, what] = dataset.exec(operation.type) ?? []
  if (status !== 'finished' || action === undefined) return []
  const { format, project_id, task_id, job_id } = operation
  const images = action === 'export' ? { save_images: what === 'dataset' } : {}
  const payload = { format, ...images }
  return [{ scope: `${action}:dataset`, project_id, task_id, job_id, payload }]
}
