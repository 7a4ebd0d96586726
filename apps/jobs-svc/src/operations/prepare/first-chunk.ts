import { writeChunkArchive } from '../../media/chunks/archive.ts'
import { withChecksum } from '../../media/chunks/checksum.ts'
import { chunkName } from '../../media/chunks/name.ts'
import { createImageDecoder } from '../../media/frames/decode.ts'
import type { CreateWork, OperationOutcome } from '../../work/request-work.ts'
import { contextOf } from '../../work/request-work.ts'
import { firstChunkKey } from '../../work/result-key.ts'
import type { OperationDeps } from '../operation.ts'

/** Low, because other conversions run on the same machine. */
const sideBySide = 2
/** Longest delay in milliseconds of a request for its first chunk. */
const longestMs = 20_000

/**
 * Adds the first chunk to the outcome of a preparation, so that it exists when the request is finished: clients request
 * it next. When it cannot be made, it is made at the first read, which then reports the reason.
 */
export async function withFirstChunk(
  work: CreateWork,
  deps: OperationDeps,
  outcome: OperationOutcome,
): Promise<OperationOutcome> {
  try {
    return { ...outcome, chunk: await makeFirst(work, deps) }
  } catch {
    deps.signal.throwIfAborted()
    return outcome
  }
}

async function makeFirst(
  work: CreateWork,
  { services, blobs, progress, ...run }: OperationDeps,
): Promise<NonNullable<OperationOutcome['chunk']>> {
  progress(0.95, 'Preparing the first images')
  const signal = AbortSignal.any([run.signal, AbortSignal.timeout(longestMs)])
  const context = contextOf(work, signal)
  const query = { target: 'task', id: work.task_id, number: 0 } as const
  const located = await services.media.locateChunk(query, context)
  const chunk = { ...located, quality: 'compressed' as const }
  const { task_id, start, stop, data_revision } = chunk
  const { chunks: lines } = await services.media.readFrames({ task_id, start, stop }, context)
  const deps = { blobs, decode: createImageDecoder({ places: sideBySide }), sideBySide }
  const { bytes, checksum } = withChecksum(writeChunkArchive(deps, chunk, lines))
  const key = firstChunkKey(work)
  const { size } = await blobs.put(key, bytes, { signal })
  return { key, name: chunkName(chunk), data_revision, size, checksum: checksum() }
}
