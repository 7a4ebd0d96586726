import { DomainError, unavailable } from '@reticle/kit'
import { untilAborted } from '@reticle/kit/blob/abort'
import { LeaseLost } from '../work/errors.ts'
import type { OperationOutcome, RequestWork } from '../work/request-work.ts'
import { contextOf } from '../work/request-work.ts'
import type { OperationDeps } from './operation.ts'

type Delivered = Extract<RequestWork, { action: 'export' }>

/** Share of the work done when the file is made and its transfer starts. */
const madeShare = 0.7

/**
 * Runs an export and writes its file into a cloud storage. The file is first stored here, where other requests may
 * share it; it may exist already. The object appears with its last byte, after the last point of cancellation: a
 * cancelled export leaves no object.
 */
export async function deliverExport(
  work: Delivered,
  deps: OperationDeps,
  make: (deps: OperationDeps) => Promise<OperationOutcome>,
): Promise<OperationOutcome> {
  const { cloud_storage_id, filename: key } = work.params
  if (cloud_storage_id === null) return make(deps)
  const outcome = findFinishedResult(work) ?? (await make(scaleProgress(deps)))
  if (outcome.result === null) return outcome
  const { services, blobs, signal } = deps
  const { chunks } = await blobs.get(outcome.result.key)
  const { body, left } = trackReading(
    reportSent(untilAborted(chunks, signal), outcome.result.size, deps),
  )
  try {
    const target = { cloud_storage_id, key, body }
    await services.storages.writeStorageFile(target, contextOf(work, signal))
    return outcome
  } finally {
    // In a single process, the cleanup of a partial object runs in this thread, so it needs time before the conversion
    // ends.
    await left()
  }
}

/** Passes bytes on; `left` resolves when they are no longer read, also if reading never started. */
function trackReading(chunks: AsyncIterable<Uint8Array>) {
  let left = Promise.resolve()
  async function* body() {
    let leave = () => {}
    left = new Promise<void>((resolve) => {
      leave = resolve
    })
    try {
      yield* chunks
    } finally {
      leave()
    }
  }
  return { body: body(), left: () => left }
}

function findFinishedResult({
  result_key: key,
  result_size: size,
  report,
}: Delivered): OperationOutcome | undefined {
  if (key === null || size === null) return undefined
  return { report, result: { key, size }, result_id: null }
}

const scaleProgress = (deps: OperationDeps): OperationDeps => ({
  ...deps,
  progress: (share, stage, amounts) => deps.progress(madeShare * share, stage, amounts),
})

async function* reportSent(
  chunks: AsyncIterable<Uint8Array>,
  bytes_total: number,
  { progress, enterFinal }: OperationDeps,
): AsyncGenerator<Uint8Array> {
  let bytes_done = 0
  try {
    for await (const chunk of chunks) {
      yield chunk
      bytes_done += chunk.length
      const share = madeShare + ((1 - madeShare) * bytes_done) / bytes_total
      progress(share, 'Writing to the cloud storage', { bytes_done, bytes_total })
    }
    await enterFinal()
  } catch (thrown) {
    throw thrown instanceof DomainError ? thrown : toUnavailable(thrown)
  }
}

/** Converts the loss of a lease to an ordinary error for the reader of the bytes. */
const toUnavailable = (thrown: unknown) =>
  thrown instanceof LeaseLost ? unavailable(thrown.message) : thrown
