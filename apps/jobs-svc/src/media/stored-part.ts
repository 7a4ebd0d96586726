import { DomainError, unavailable } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'

/**
 * Bytes `start` up to `end` of an object that was once whole. A store that has less of it now is not the fault of whoever
 * uploaded it, and another attempt may find it well again (`reliability.md` F23).
 *
 * @throws DomainError `not_found`; `unavailable` for an object that ends before `end`
 */
export async function openPart(
  blobs: Pick<BlobStore, 'get'>,
  key: string,
  { start, end }: { start: number; end: number },
): Promise<AsyncIterable<Uint8Array>> {
  const { size, chunks } = await blobs.get(key, { start, end: end - 1 }).catch(unlessBeyond)
  if (size < end) throw notWhole()
  return chunks
}

function unlessBeyond(thrown: unknown): never {
  throw thrown instanceof DomainError && thrown.kind === 'invalid' ? notWhole() : thrown
}

const notWhole = () => unavailable('The object storage has not all of a stored file.')
