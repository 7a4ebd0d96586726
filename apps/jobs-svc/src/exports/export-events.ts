import type { OperationDeps } from '../operations/operation.ts'
import type { ExportEventsWork, OperationOutcome } from '../work/request-work.ts'
import { contextOf } from '../work/request-work.ts'
import { resultKey } from '../work/result-key.ts'

/**
 * Writes a part of the event log as CSV into the blob store. Streams the rows unchanged, so that memory does not grow
 * with them.
 */
export async function exportEvents(
  work: ExportEventsWork,
  deps: OperationDeps,
): Promise<OperationOutcome> {
  const { blobs, services, signal } = deps
  deps.progress(0, 'Reading events')
  const { chunks } = await services.events.readEvents(work.params.filter, contextOf(work, signal))
  const key = resultKey(work)
  const { size } = await blobs.put(key, chunks, { signal })
  return { report: null, result: { key, size }, result_id: null }
}
