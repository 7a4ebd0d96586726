import { existsSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeShape, rowLinesHeader } from '@reticle/contracts/row-lines'
import { factsOf, frameOf, labelOf } from '@reticle/contracts/testing/records'
import { invalidText, unavailable } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { diskBlobs } from '@reticle/kit/blob/disk'
import { openDatabase } from '@reticle/kit/db/connect'
import { applyOnce } from '@reticle/kit/keys/applied-calls'
import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { OperationServices } from '../operations/operation.ts'
import type { ConverterPorts } from '../worker/serve-conversions.ts'
import { runMisbehaviour, watchRun } from './misbehaviour.ts'
import { bytesAnswer, jsonLinesOf, servicesOf } from './services.ts'

/** Behaviour of a conversion in the worker's tests, by the id of its task. */
export const tasks = {
  works: 1,
  hangs: 2,
  spins: 3,
  hoards: 4,
  isDown: 5,
  isRefused: 6,
  isPatient: 7,
  /** Has many images; each read of one is recorded in `readsOf`. */
  hasImages: 8,
  /** Tasks from here on take some milliseconds, different for each id. */
  takesTime: 1000,
  /** Tasks from here on wait until the file `gateOf` exists. */
  isGated: 2000,
  /** Tasks from here on run an entry of `misbehaviours`, by its index. */
  misbehaves: 3000,
} as const

/** Returns the path of a gate file, beside the blob store of `root`. */
export const gateOf = (root: string, task_id: number) => join(root, '..', `open-${task_id}`)

export const images = {
  count: 40,
  bytes: 1024 * 1024,
  key: (n: number) => `requests/uploads/i/${n}`,
}
/** Returns the path of a file beside the blob store of `root`, with the key of each image read as a line. */
export const readsOf = (root: string) => join(root, '..', 'reads')

const wiringOptions = z.object({
  /** Folder of the blob store. */
  root: z.string(),
  /** Database with the table `applied (call_id)`, into which an import writes its line once. */
  url: z.string().optional(),
  /** Duration in milliseconds of tasks from `takesTime` on: once to four times this value. */
  pace_ms: z.number().default(50),
})
export type TestWiringOptions = z.input<typeof wiringOptions>

/** Opens the services for the converters of the worker's tests, as the module of an app does. */
export async function openConverterPorts(options: unknown): Promise<ConverterPorts> {
  const { root, url, pace_ms } = wiringOptions.parse(options)
  watchRun()
  const db = url === undefined ? undefined : openApplied(url)
  const getLabelSet = async ({ id }: { id: number }) => {
    await behaveAsTask(id, { root, pace_ms })
    return { labels_revision: 1, labels: [labelOf({ id: 1 })] }
  }
  const services = servicesOf({
    tasks: { authorize: async ({ id }) => factsOf({ task_id: id, size: framesOf(id).length }) },
    labels: { getLabelSet },
    media: { readFrames: async ({ task_id }) => bytesAnswer(jsonLinesOf(framesOf(task_id))) },
    annotations: {
      readRows: async ({ id }) => bytesAnswer([rowLinesHeader, shapeOf(id)]),
      ...(db && { writeRows: writeOnce(db) }),
    },
  })
  return { services, blobs: noting(await diskBlobs(root), { root, pace_ms }) }
}

function framesOf(task_id: number) {
  if (task_id !== tasks.hasImages) return [frameOf()]
  const place = { offset: 0, length: images.bytes, packing: 'stored' as const }
  return Array.from({ length: images.count }, (_, n) =>
    frameOf({ name: `${n}.jpg`, key: images.key(n), ...place }),
  )
}

/** Delays and records the reads of images. */
const noting = (
  blobs: BlobStore,
  { root, pace_ms }: { root: string; pace_ms: number },
): BlobStore => ({
  ...blobs,
  get: async (key, range) => {
    if (key.startsWith('requests/uploads/i/')) {
      await appendFile(readsOf(root), `${key}\n`)
      await sleep(pace_ms)
    }
    return blobs.get(key, range)
  },
})

const openApplied = (url: string) =>
  openDatabase<unknown>(url, { application: 'conversion', max: 1, search_path: ['requests'] }).db

/**
 * Writes the effect and its record in one transaction, as annotations-svc does. Then waits, so that a test can kill the
 * process.
 */
function writeOnce(db: Kysely<unknown>): OperationServices['annotations']['writeRows'] {
  return async ({ call_id = '', body }) => {
    for await (const _ of body);
    const created = { tags: 0, shapes: 1, tracks: 0, duplicates: 0 }
    const answer = await db.transaction().execute((tx) =>
      applyOnce(tx, call_id, async () => {
        await sql`insert into applied (call_id) values (${call_id})`.execute(tx)
        return created
      }),
    )
    await sleep(100)
    return answer
  }
}

const shapeOf = (task_id: number) =>
  encodeShape({
    id: 7,
    frame: 0,
    label_id: 1,
    group: 0,
    source: 'manual',
    type: 'rectangle',
    score: 1,
    occluded: false,
    outside: false,
    z_order: 0,
    rotation: 0,
    points: [1, 2, 4, task_id + 6],
    attributes: [],
    elements: [],
  })

const patienceMs = 1000

async function behaveAsTask(
  task_id: number,
  { root, pace_ms }: { root: string; pace_ms: number },
): Promise<void> {
  if (task_id === tasks.hangs) await sleep(3_600_000)
  if (task_id === tasks.spins) for (;;) Math.sqrt(2)
  if (task_id === tasks.hoards) hoard()
  if (task_id === tasks.isDown) throw unavailable('The labels are away')
  if (task_id === tasks.isRefused) throw invalidText('These labels cannot be used')
  if (task_id === tasks.isPatient) await sleep(patienceMs)
  if (task_id >= tasks.misbehaves) await runMisbehaviour(task_id - tasks.misbehaves)
  else if (task_id >= tasks.isGated) while (!existsSync(gateOf(root, task_id))) await sleep(20)
  else if (task_id >= tasks.takesTime) await sleep(pace_ms * (1 + ((task_id * 7) % 13) / 4))
}

function hoard(): never {
  const all: object[] = []
  for (;;) all.push({ n: all.length, list: new Array(100).fill(all.length) })
}
