import type { SourceFiles } from '@reticle/contracts/rest/cloud-storages'
import { forbidden, notFound } from '@reticle/kit'
import { bytesOf, readAllBytes } from '@reticle/kit/testing/bytes'
import type { OperationServices } from '../operations/operation.ts'
import type { StorageCalls } from '../storage/cloud-storage.ts'

/** Creates a cloud storage with these objects; records its reads, listings and writes. */
export function storageOf(objects: Readonly<Record<string, Uint8Array>>, pageSize = 500) {
  const read: string[] = []
  const listed: string[] = []
  const written = new Map<string, string>()
  const keys = Object.keys(objects).sort()
  const storages: OperationServices['storages'] = {
    listSourceFiles: async ({ prefix, is_key, token = '0' }): Promise<SourceFiles> => {
      listed.push(prefix)
      const found = keys.filter((key) => (is_key ? key === prefix : key.startsWith(prefix)))
      const start = Number(token)
      const files = found
        .slice(start, start + pageSize)
        .map((key) => ({ key, size: objects[key]?.length ?? 0 }))
      const next = start + pageSize
      return { files, ...(next < found.length && { next: String(next) }) }
    },
    readSourceFile: async ({ key, start, end }) => {
      read.push(key)
      const bytes = objects[key]
      if (!bytes) throw notFound(`The cloud storage does not have "${key}" any more.`)
      return { head: {}, chunks: bytesOf(bytes.subarray(start, end + 1)) }
    },
    readStorageFile: async ({ key }) => {
      read.push(key)
      const bytes = objects[key]
      if (!bytes) throw notFound(`"${key}" could not be read from the cloud storage.`)
      return { head: {}, chunks: bytesOf(bytes) }
    },
    writeStorageFile: async ({ key, body }) => {
      written.set(key, (await readAllBytes(body)).toString())
      return undefined
    },
  }
  return { storages, read, listed, written }
}

/** Creates cloud storages by id, with their attributes; `forbidden` is one that the caller may not view. */
export function seenStorages(
  known: Readonly<Record<number, string>>,
): Pick<StorageCalls, 'getCloudStorage'> {
  return {
    getCloudStorage: async ({ id }) => {
      const specific_attributes = known[id]
      if (specific_attributes === undefined) throw notFound()
      if (specific_attributes === 'forbidden') throw forbidden()
      return { ...cloudStorageRecord, id, specific_attributes }
    },
  }
}

const cloudStorageRecord = {
  id: 1,
  provider_type: 'AWS_S3_BUCKET' as const,
  resource: 'frames',
  display_name: 'Raw frames',
  description: '',
  credentials_type: 'KEY_SECRET_KEY_PAIR' as const,
  manifests: [],
  owner: null,
  organization: null,
  created_date: '2026-03-01T10:00:00.000Z',
  updated_date: '2026-03-01T10:00:00.000Z',
}
