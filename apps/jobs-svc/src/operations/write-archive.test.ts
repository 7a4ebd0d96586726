import { randomBytes, randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { ArchiveFile } from '@reticle/formats/archive/zip-writer'
import { stepBytes } from '@reticle/kit/blob/blob'
import { expect, test } from 'vitest'
import { exportWork, runOf, testStore } from '../testing/run.ts'
import { servicesOf } from '../testing/services.ts'
import type { Checkpoint } from '../work/checkpoint.ts'
import { resultKey } from '../work/result-key.ts'
import { writeArchive } from './write-archive.ts'

const store = await testStore()
const { blobs } = store
const pictures = Array.from({ length: 5 }, () => randomBytes(0.7 * stepBytes))

interface Given {
  document?: string
  /** Numbers of the pictures that are read; `breaksAfter` makes the export fail after one. */
  read: number[]
  breaksAfter?: number
}

/** Yields a document and pictures; fails, if requested, when as much as possible is saved. */
async function* files({ document = 'one', read, breaksAfter }: Given): AsyncGenerator<ArchiveFile> {
  yield { path: 'annotations.json', content: document }
  for (const [n, picture] of pictures.entries()) {
    if (n === breaksAfter) throw new Error('the worker died')
    const content = (async function* () {
      read.push(n)
      yield picture
    })()
    yield { path: `images/${n}.jpg`, content, source: `key of ${n}` }
  }
}

/** Runs one attempt; returns its checkpoints and its result. */
async function attempt(
  given: Omit<Given, 'read'> & { lease_token: number; checkpoint?: Checkpoint | null },
  request_uuid: string,
) {
  const { lease_token, checkpoint = null, ...rest } = given
  const work = exportWork({}, { request_uuid, lease_token, checkpoint })
  const kept: (Checkpoint | null)[] = checkpoint ? [checkpoint] : []
  const members = [...(checkpoint?.members ?? [])]
  const deps = await runOf(store, servicesOf({}), {
    checkpoints: { afterMs: 0, everyMs: 0 },
    saveCheckpoint: async (reported) => {
      if (reported) members.push(reported.members)
      kept.push(reported && { ...reported, members: [...members] })
    },
  })
  const read: number[] = []
  const made = writeArchive(work, deps, () => files({ ...rest, read }))
  const result = await made.catch((thrown: Error) => thrown.message)
  return { read, kept, last: kept.at(-1) ?? null, result, own: resultKey(work) }
}

const bytesAt = async (key: string) => buffer((await blobs.get(key)).chunks)
const keyOf = (result: string | { key: string }) =>
  typeof result === 'string' ? expect.unreachable(result) : result.key

async function undisturbed(document?: string) {
  const { result } = await attempt({ lease_token: 1, ...(document && { document }) }, randomUUID())
  return bytesAt(keyOf(result))
}

/** Runs an attempt that dies after four of the pictures. */
async function dead() {
  const request_uuid = randomUUID()
  const first = await attempt({ lease_token: 1, breaksAfter: 4 }, request_uuid)
  expect(first.result).toBe('the worker died')
  expect(first.last?.size).toBe(2 * stepBytes)
  return { request_uuid, ...first }
}

test('another attempt continues the object of the first, and reads only the remaining pictures', async () => {
  const { request_uuid, last, own } = await dead()
  const second = await attempt({ lease_token: 2, checkpoint: last }, request_uuid)
  expect(keyOf(second.result)).toBe(own)
  expect(second.read).toEqual([2, 3, 4])
  expect((await bytesAt(own)).equals(await undisturbed())).toBe(true)
})

test('a third attempt continues after a second one that died as well', async () => {
  const { request_uuid, last, own } = await dead()
  const again = { lease_token: 2, checkpoint: last, breaksAfter: 4 }
  const second = await attempt(again, request_uuid)
  const third = await attempt({ lease_token: 3, checkpoint: second.last }, request_uuid)
  expect(keyOf(third.result)).toBe(own)
  expect((await bytesAt(own)).equals(await undisturbed())).toBe(true)
})

test.each([
  ['an edit in between', {}, 'two'],
  ['more than half a day', { begun_date: new Date(Date.now() - 13 * 3_600_000) }, 'one'],
])('%s restarts the export, and discards the stored part', async (_, given, document) => {
  const { request_uuid, last, own } = await dead()
  const checkpoint = last && { ...last, ...given }
  const second = await attempt({ lease_token: 2, checkpoint, document }, request_uuid)
  expect(keyOf(second.result)).toBe(second.own)
  expect(second.read).toEqual([0, 1, 2, 3, 4])
  expect(second.kept).toContain(null)
  expect((await bytesAt(second.own)).equals(await undisturbed(document))).toBe(true)
  await expect(blobs.stat(own)).rejects.toMatchObject({ kind: 'not_found' })
  const third = await attempt({ lease_token: 3, checkpoint: last }, request_uuid)
  expect(keyOf(third.result)).toBe(third.own)
})

test('an attempt that lost its lease does not remove the object that another may continue', async () => {
  const { request_uuid, last, own } = await dead()
  const work = exportWork({}, { request_uuid, lease_token: 2, checkpoint: last })
  const saveCheckpoint = () => Promise.reject(new Error('The request was taken away'))
  const deps = await runOf(store, servicesOf({}), { saveCheckpoint })
  const late = writeArchive(work, deps, () => files({ document: 'two', read: [] }))
  await expect(late).rejects.toThrow('The request was taken away')
  const third = await attempt({ lease_token: 3, checkpoint: last }, request_uuid)
  expect(keyOf(third.result)).toBe(own)
})

test('a short export saves no checkpoint', async () => {
  let count = 0
  const deps = await runOf(store, servicesOf({}), {
    checkpoints: { afterMs: 60_000, everyMs: 0 },
    saveCheckpoint: async () => {
      count += 1
    },
  })
  await writeArchive(exportWork({}, { request_uuid: randomUUID() }), deps, () =>
    files({ read: [] }),
  )
  expect(count).toBe(0)
})
