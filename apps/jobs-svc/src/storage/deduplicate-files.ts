import { createHash } from 'node:crypto'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { keyOfAll } from '@reticle/kit/blob/spread'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { mapInBatches } from './map-in-batches.ts'
import type { HashedFile } from './repo-contents.ts'
import { forgetDead } from './repo-objects.ts'
import { openPart } from './stored-file.ts'

interface DeduplicationDeps {
  blobs: Pick<BlobStore, 'get'>
  signal: AbortSignal
  /** Registers files and returns the key of each. @throws LeaseLost when the lease is lost */
  registerContents: (files: HashedFile[]) => Promise<Map<string, string>>
}

/**
 * Resolves the files of an upload to the contents of their tenant: a duplicate is read where it was stored first. Files
 * without a known checksum, large ones that were uploaded in pieces, are read once for it.
 *
 * @param prefix key prefix of the upload; files elsewhere were resolved when they were announced
 * @returns the files, and the duplicates to delete once the files have become media
 */
export async function deduplicateFiles(
  files: readonly UploadedFile[],
  prefix: string,
  deps: DeduplicationDeps,
): Promise<{ files: UploadedFile[]; spare: string[] }> {
  const own: HashedFile[] = []
  for (const file of files)
    if (file.size > 0 && file.key.startsWith(prefix)) own.push(await hashFile(file, deps))
  const kept = own.length === 0 ? new Map<string, string>() : await deps.registerContents(own)
  return {
    files: files.map((file) => ({ ...file, key: kept.get(file.key) ?? file.key })),
    spare: own.flatMap(({ key }) => ((kept.get(key) ?? key) === key ? [] : [key])),
  }
}

async function hashFile(
  { key, size, sha256 }: UploadedFile,
  { blobs, signal }: DeduplicationDeps,
): Promise<HashedFile> {
  if (sha256 !== undefined) return { key, size, sha256 }
  const hash = createHash('sha256')
  for await (const piece of await openPart(blobs, key, { start: 0, end: size })) {
    signal.throwIfAborted()
    hash.update(piece)
  }
  return { key, size, sha256: hash.digest('hex') }
}

interface SpareDeps {
  db: Kysely<RequestsDb>
  blobs: Pick<BlobStore, 'remove' | 'removePrefix'>
}

/** Removes duplicate files at once, as no reader uses them. After a failure, the sweeper removes the rest. */
export async function removeSpare(
  { db, blobs }: SpareDeps,
  spare: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const keys = [...new Set(spare.map(keyOfAll))]
  const remove = async (key: string) => {
    if (key.endsWith('/')) await blobs.removePrefix(key)
    else await blobs.remove(key)
  }
  for await (const _ of mapInBatches(keys, remove, signal));
  await forgetDead(db, keys)
}
