import type { SourceFiles } from '@reticle/contracts/rest/cloud-storages'
import { notFound } from '@reticle/kit'
import { bytesOf } from '@reticle/kit/testing/bytes'
import type { OperationServices } from '../operations/operation.ts'

/** A cloud storage with these objects, and what was asked of it. */
export function storageOf(objects: Readonly<Record<string, Uint8Array>>, pageSize = 500) {
  const read: string[] = []
  const listed: string[] = []
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
  }
  return { storages, read, listed }
}
