import type { ArchiveFile } from '@reticle/formats/archive/zip-writer'
import { type CallContext, DomainError } from '@reticle/kit'
import type { OperationDeps } from '../operations/operation.ts'

/** References to assets in guides. */
const reference = /\(\/api\/assets\/([\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})/gi

/** Yields a guide, then its assets; its references are rewritten to these. */
export async function* guideFiles(
  markdown: string | null,
  { services: { guides }, blobs }: Pick<OperationDeps, 'services' | 'blobs'>,
  context: CallContext,
): AsyncGenerator<ArchiveFile> {
  if (markdown === null) return
  const names = new Map<string, string>()
  const keys = new Map<string, string>()
  const taken = new Set<string>()
  for (const [, id = ''] of markdown.matchAll(reference)) {
    const uuid = id.toLowerCase()
    if (names.has(uuid)) continue
    const asset = await guides.getAssetFile({ uuid }, context).catch(unlessHidden)
    if (!asset) continue
    const name = freeName(asset.filename, taken)
    names.set(uuid, name)
    keys.set(name, asset.key)
  }
  const content = markdown.replace(reference, (whole, id: string) => {
    const name = names.get(id.toLowerCase())
    return name === undefined ? whole : `(assets/${name}`
  })
  yield { path: 'annotation_guide.md', content }
  for (const [name, key] of keys) {
    const { chunks } = await blobs.get(key)
    yield { path: `assets/${name}`, content: chunks }
  }
}

/** Ignores assets that are missing or hidden from the caller; their references stay unchanged. */
function unlessHidden(thrown: unknown): undefined {
  const isHidden =
    thrown instanceof DomainError && (thrown.kind === 'not_found' || thrown.kind === 'forbidden')
  if (!isHidden) throw thrown
}

function freeName(filename: string, taken: Set<string>): string {
  const plain = filename.replace(/[\p{Cc}/\\()]/gu, '_')
  let name = plain
  for (let count = 1; taken.has(name); count++)
    name = plain.replace(/(\.[^.]*)?$/, (ending) => `_${count}${ending}`)
  taken.add(name)
  return name
}
