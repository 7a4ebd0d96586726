import { readMediaBytes } from '../../media/media-bytes.ts'
import { mapInBatches } from '../../storage/map-in-batches.ts'
import type { SourceDeps } from './deps.ts'
import { type SourceFile, toSourceFile } from './source-listing.ts'

/** Bytes per call: a large file takes longer than the deadline of one call. */
const partBytes = 32 * 1024 * 1024

type Deps = Pick<SourceDeps, 'blobs' | 'signal' | 'prefix'>

/** Copies whole files to the key prefix of the preparation, some concurrently; `tell` receives the share done. */
export async function copyHere(
  files: readonly SourceFile[],
  name: string,
  deps: Deps,
  reportShare: (share: number) => void = () => undefined,
): Promise<SourceFile[]> {
  const { blobs, signal, prefix } = deps
  const numbered = files.map((file, index) => ({ file, key: `${prefix}${name}-${index}` }))
  const copy = async ({ file, key }: (typeof numbered)[number]) => {
    const { size } = await blobs.put(key, piecesOf(file, deps), { signal })
    const { known, named } = file
    const properties = { ...(known && { known }), ...(named !== undefined && { named }) }
    return { ...toSourceFile(file.name, key, size), ...properties }
  }
  const copies: SourceFile[] = []
  for await (const [, one, index] of mapInBatches(numbered, copy, signal)) {
    copies.push(one)
    reportShare((index + 1) / files.length)
  }
  return copies
}

async function* piecesOf(
  { key, size }: SourceFile,
  { blobs, signal }: Deps,
): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < size; offset += partBytes) {
    signal.throwIfAborted()
    const length = Math.min(partBytes, size - offset)
    yield* readMediaBytes(blobs, { key, offset, length, packing: 'stored' })
  }
}
