import { randomUUID } from 'node:crypto'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { s3Blobs } from '@reticle/kit/blob/s3'
import { openDatabase } from '@reticle/kit/db/connect'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { z } from 'zod'
import type { RequestsDb } from '../db/schema.ts'
import { registerPending } from '../storage/repo-objects.ts'
import { insertUpload } from '../storage/repo-uploads.ts'
import { resultKey } from '../work/result-key.ts'

/** Process that starts to write objects in every possible way, finishes none, and waits to be killed (T-GC-1). */

const given = z.object({
  url: z.string(),
  store: z.union([
    z.object({ root: z.string() }),
    z.object({
      endpoint: z.string(),
      accessKey: z.string(),
      secretKey: z.string(),
      bucket: z.string(),
      region: z.string(),
    }),
  ]),
  /** Number of each kind. */
  count: z.int(),
})
export type Interrupted = z.infer<typeof given>

const { url, store, count } = given.parse(JSON.parse(process.argv[2] ?? ''))
const { db } = openDatabase<RequestsDb>(url, { application: 'test', search_path: ['requests'] })
const blobs = 'root' in store ? await diskBlobs(store.root) : await s3Blobs(store)
const mebibyte = Buffer.alloc(1024 * 1024)
const kinds = [storedUpload, brokenUpload, brokenResult]
const begun = Array.from({ length: count }, () => kinds.map((begin) => begin())).flat()
await Promise.all(begun)
process.send?.('begun')
setInterval(() => {}, 1000)

/** Writes a complete upload without posting its request. */
async function storedUpload(): Promise<void> {
  const prefix = await openUpload()
  for (const name of ['0', '1']) await blobs.put(`${prefix}${name}`, bytesOf('whole'))
}

/** Stops within the second file of an upload. */
async function brokenUpload(): Promise<void> {
  const prefix = await openUpload()
  await blobs.put(`${prefix}0`, bytesOf('whole'))
  await beginPut(`${prefix}1`)
}

/** Stops within the archive of an export. */
async function brokenResult(): Promise<void> {
  const key = resultKey({ request_uuid: randomUUID(), lease_token: 1 })
  await registerPending(db, { key, kind: 'result' })
  await beginPut(key)
}

async function openUpload(): Promise<string> {
  const upload = { purpose: 'data', target: 'task', target_id: 1, owner_id: 1 } as const
  const { prefix } = await db.transaction().execute((tx) => insertUpload(tx, upload, null))
  return prefix
}

/** Starts a write that never ends; resolves when a part of it is in the store. */
function beginPut(key: string): Promise<void> {
  return new Promise((resolve, reject) => {
    async function* endless() {
      for (let n = 0; n < 10; n++) yield mebibyte
      resolve()
      await new Promise(() => {})
    }
    blobs.put(key, endless()).catch(reject)
  })
}
