import { DomainError, unavailable } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { locateRange, type SpreadRange } from '@reticle/kit/blob/spread'

/**
 * Opens bytes `start` up to `end` of a completely uploaded file, which may consist of several objects. An incomplete
 * object is not the user's fault and may be a transient error of the store. The first object is opened at once, the
 * others when they are reached.
 *
 * @throws DomainError `not_found`; `unavailable` for an object that ends before `end`
 */
export async function openPart(
  blobs: Pick<BlobStore, 'get'>,
  key: string,
  range: { start: number; end: number },
): Promise<AsyncIterable<Uint8Array>> {
  const [first, ...others] = locateRange(key, range)
  if (!first) return nothing()
  const pieces = await openPlaceOf(blobs, first)
  return others.length === 0 ? pieces : inTurn(blobs, pieces, others)
}

async function* inTurn(
  blobs: Pick<BlobStore, 'get'>,
  first: AsyncIterable<Uint8Array>,
  others: readonly SpreadRange[],
): AsyncGenerator<Uint8Array> {
  yield* first
  for (const place of others) yield* await openPlaceOf(blobs, place)
}

async function openPlaceOf(blobs: Pick<BlobStore, 'get'>, { key, start, end }: SpreadRange) {
  const { size, chunks } = await blobs.get(key, { start, end: end - 1 }).catch(unlessBeyond)
  if (size < end) throw notWhole()
  return chunks
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

function unlessBeyond(thrown: unknown): never {
  throw thrown instanceof DomainError && thrown.kind === 'invalid' ? notWhole() : thrown
}

const notWhole = () => unavailable('The object storage has not all of a stored file.')
