import { inTurns } from '../media/in-turns.ts'
import { readPlace } from '../media/packed.ts'
import type { SourceDeps } from '../sources/deps.ts'
import { type Found, wholeObject } from '../sources/found.ts'

/** Bytes per call: a large file takes longer than the deadline of one call. */
const partBytes = 32 * 1024 * 1024

type Deps = Pick<SourceDeps, 'blobs' | 'signal' | 'prefix'>

/** Copies whole files to the key prefix of the preparation, some concurrently; `tell` receives the share done. */
export async function copyHere(
  files: readonly Found[],
  name: string,
  deps: Deps,
  tell: (share: number) => void = () => undefined,
): Promise<Found[]> {
  const { blobs, signal, prefix } = deps
  const numbered = files.map((file, index) => ({ file, key: `${prefix}${name}-${index}` }))
  const copy = async ({ file, key }: (typeof numbered)[number]) => {
    const { size } = await blobs.put(key, piecesOf(file, deps), { signal })
    const { known, named } = file
    const about = { ...(known && { known }), ...(named !== undefined && { named }) }
    return { ...wholeObject(file.name, key, size), ...about }
  }
  const copies: Found[] = []
  for await (const [, one, index] of inTurns(numbered, copy, signal)) {
    copies.push(one)
    tell((index + 1) / files.length)
  }
  return copies
}

async function* piecesOf(
  { key, size }: Found,
  { blobs, signal }: Deps,
): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < size; offset += partBytes) {
    signal.throwIfAborted()
    const length = Math.min(partBytes, size - offset)
    yield* readPlace(blobs, { key, offset, length, packing: 'stored' })
  }
}
