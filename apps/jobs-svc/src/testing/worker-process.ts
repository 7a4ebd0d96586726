import { once } from 'node:events'
import { extname, join } from 'node:path'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { openDatabase } from '@reticle/kit/db/connect'
import { silentLog } from '@reticle/kit/observe/log'
import { z } from 'zod'
import type { RequestsDb } from '../db/schema.ts'
import { startWorker } from '../worker/start.ts'
import { deafBus } from './bus.ts'
import { settingsOf } from './settings.ts'
import type { TestWiringOptions } from './wiring.ts'

/** Worker in a separate process that tests kill and freeze; started by `processes.ts`. */
const toProcess = z.object({
  url: z.string(),
  root: z.string(),
  timing: z.object({
    leaseSeconds: z.number(),
    renewMs: z.number(),
    pollMs: z.number(),
    checkpoints: z.object({ afterMs: z.number(), everyMs: z.number() }).optional(),
    retrySeconds: z.array(z.number()).optional(),
  }),
  pace_ms: z.number(),
  slots: z.int().default(1),
  heapMib: z.int().default(1024),
})
export type ToProcess = z.input<typeof toProcess>

process.on('disconnect', () => process.exit(1))
const [given] = await once(process, 'message')
const { url, root, timing, pace_ms, slots, heapMib } = toProcess.parse(given)
const blobsRoot = join(root, 'blobs')
const options: TestWiringOptions = { root: blobsRoot, url, pace_ms }
const worker = await startWorker({
  db: openDatabase<RequestsDb>(url, { application: 'worker', search_path: ['requests'] }).db,
  bus: deafBus,
  blobs: await diskBlobs(blobsRoot),
  log: silentLog,
  settings: settingsOf({ slots, heapMib, tmpDir: root }),
  wiring: { module: new URL(`./wiring${extname(import.meta.url)}`, import.meta.url).href, options },
  timing,
})
const asked = once(process, 'SIGTERM')
process.send?.('ready')
await asked
await worker.stop()
process.exit(0)
