import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { startReceiver } from '@reticle/kit/testing/receiver'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { unzip } from '../../support/archives.ts'
import { atOnce } from '../../support/at-once.ts'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { craftZip } from '../../support/crafted-zip.ts'
import { longAgo } from '../../support/past.ts'
import { createBitmap, createImage, formOf, type ImageFile } from '../../support/pictures.ts'
import { canLook, conversionMiB, peakMiB, workerOf } from '../../support/processes.ts'
import { dataDirectory, type Reticle, root, startReticle } from '../../support/reticle.ts'
import { honestZips, hostileZips } from '../hostile/archives.ts'
import {
  escaped,
  fileOf,
  type HostileFile,
  mostEntries,
  type OddFile,
  zeros,
} from '../hostile/hostile.ts'
import { brokenImages, hostileImages, oddImages, wholeImages } from '../hostile/images.ts'
import { honestTars, hostileTars } from '../hostile/tars.ts'
import { hostileVideos, oddVideos } from '../hostile/videos.ts'

/**
 * Hostile archives (T-ZIP), images and videos, sent over HTTP to one server. Its worker has one slot and handles one
 * file after the other, so that its memory is that of a single file. Limits: docs/spec/reliability.md#bad-input.
 */

const { path, remove } = dataDirectory()
const tmp = mkdtempSync(join(tmpdir(), 'reticle-hostile-'))
const settings = {
  RETICLE_TMP_DIR: tmp,
  RETICLE_JOBS_SLOTS: '1',
  RETICLE_JOBS_ARCHIVE_ENTRIES: String(mostEntries),
}
const sideBySide = 4
const corpusMs = 180_000
/** The goal is five seconds on an idle machine. */
const longestMs = 15_000
/** Limit of memory growth for archives. */
const mostMiB = 64
/** Decoders may use more for a while, but far less than the size that some images claim. */
const mostDecodedMiB = 256

let reticle: Reticle
let api: ApiClient
let elsewhere: Awaited<ReturnType<typeof startReceiver>>
let before: string[]
let worker: number | undefined
/** Memory of the worker after it has handled valid files of all kinds. */
let usualMiB = 0
const tasks: number[] = []

const [one, two] = await Promise.all([createImage('one', 8, 6), createImage('two-two', 9, 7)])
const whole = await wholeImages()

beforeAll(async () => {
  elsewhere = await startReceiver()
  reticle = await startReticle(path, settings)
  api = reticle.admin
  before = objects()
  worker = canLook ? workerOf(reticle.pid) : undefined
})
afterAll(async () => {
  await reticle.stop()
  await elsewhere.close()
  remove()
  rmSync(tmp, { recursive: true, force: true })
})

/** Files in the object store, including drafts. */
function objects(): string[] {
  const folder = join(path, 'objects')
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

interface Attached {
  id: number
  request: AnyJson
  task: AnyJson
}

async function attach(files: ImageFile[]): Promise<Attached> {
  const { id } = await api.done('POST', '/tasks', { json: { name: 't', labels: [] } })
  tasks.push(id)
  const started = await api.done('POST', `/tasks/${id}/data`, { form: formOf(files) })
  const request = await api.ended(started.rq_id)
  return { id, request, task: await api.done('GET', `/tasks/${id}`) }
}

const attached = new Map<HostileFile | OddFile, Attached>()

/** Attaches each file to its own task, several at the same time. */
async function attachAll(all: readonly (HostileFile | OddFile)[]): Promise<void> {
  await atOnce(sideBySide, all, async (file) => {
    attached.set(file, await attach([await fileOf(file)]))
  })
}

/** Returns the result of a file. */
function of(file: HostileFile | OddFile): Attached {
  const found = attached.get(file)
  if (!found) throw new Error(`${file.what} was not attached`)
  return found
}

const named = <T extends { what: string }>(all: readonly T[]) =>
  all.map((file) => [file.what, file] as const)

function assertRefused({ request, task }: Attached, { message }: HostileFile): void {
  const failure: string = request.message
  expect([request.status, failure]).toEqual([
    'failed',
    typeof message === 'string' ? message : expect.stringMatching(message),
  ])
  expect(failure).not.toMatch(/\p{Cc}/u)
  expect(failure.length).toBeLessThanOrEqual(1000)
  for (const internal of [path, tmp, root, 'node_modules', 'file:', '.ts:', '.js:'])
    expect(failure).not.toContain(internal)
  expect(Date.parse(request.finished_date) - Date.parse(request.started_date)).toBeLessThan(
    longestMs,
  )
  expect(task).toMatchObject({ size: 0, status: 'new' })
}

const frame = (id: number, number: number, quality = 'compressed') =>
  api.bytes(`/tasks/${id}/data?type=frame&number=${number}&quality=${quality}`)
const chunk = (id: number, quality = 'compressed') =>
  api.bytes(`/tasks/${id}/data?type=chunk&number=0&quality=${quality}`)

async function assertFrames({ id, request }: Attached, { frames }: OddFile): Promise<void> {
  expect([request.status, request.message]).toEqual(['finished', ''])
  const { frames: listed } = await api.done('GET', `/tasks/${id}/data/meta`)
  expect(listed.map((given: AnyJson) => given.name)).toEqual(frames)
  for (const number of frames.keys()) expect((await frame(id, number)).status).toBe(200)
}

/** Checks that the first and the last member, which are valid, are readable frames. */
async function assertEnds(members: Buffer[], count: number): Promise<void> {
  expect(members).toHaveLength(count)
  const ends = [members[0], members.at(-1)].map((given) => sharp(given).metadata())
  expect((await Promise.all(ends)).map(({ width }) => width)).toEqual([8, 9])
}

/** Checks that the worker was not restarted and kept no memory of the files. */
function assertUnharmed(): void {
  if (worker === undefined) return
  expect(workerOf(reticle.pid)).toBe(worker)
  expect(conversionMiB(worker) - usualMiB).toBeLessThanOrEqual(mostDecodedMiB)
}

describe('T-ZIP: hostile archives', () => {
  const honest = [...honestZips(one.bytes, two.bytes), ...honestTars(one.bytes, two.bytes)]
  const zips = hostileZips(one.bytes)
  const tars = hostileTars(one.bytes)
  let grown: number | undefined
  beforeAll(async () => {
    await attachAll(honest)
    const run = () => attachAll([...zips, ...tars])
    if (worker === undefined) return run()
    usualMiB = conversionMiB(worker)
    grown = (await peakMiB(worker, run)) - usualMiB
  }, corpusMs)

  test('the corpus contains more than forty zip files and more than forty tar files', () => {
    expect([zips.length, tars.length].map((count) => count > 40)).toEqual([true, true])
  })

  test.each(named(zips))('a zip is refused for %s', (_, file) => assertRefused(of(file), file))

  test.each(named(tars))('a tar is refused for %s', (_, file) => assertRefused(of(file), file))

  test.each(named(honest))('an unusual but valid archive is read: %s', (_, file) =>
    assertFrames(of(file), file),
  )

  test.runIf(canLook)('the worker was not restarted, and no archive needed much memory', () => {
    assertUnharmed()
    expect(grown).toBeLessThanOrEqual(mostMiB)
  })

  test('an archive member that cannot be unpacked becomes a frame without an image', async () => {
    const pixels = createBitmap(500, 300)
    pixels.set(whole.png, 54)
    const bomb = { bytes: Buffer.concat([pixels, zeros(100)]), isDeflated: true }
    const cut = deflateRawSync(Buffer.concat([pixels, whole.png])).subarray(0, -200)
    const bytes = craftZip([
      { name: 'a.png', bytes: one.bytes },
      { name: 'b.bmp', ...bomb, declared: { size: pixels.length } },
      { name: 'c.bmp', bytes: pixels, packed: cut },
      { name: 'd.png', bytes: two.bytes },
    ])
    const { id, request } = await attach([{ name: 'a.zip', bytes }])
    expect(request).toMatchObject({ status: 'finished' })
    const seen = await Promise.all([0, 1, 2, 3].map((number) => frame(id, number)))
    expect(seen.map(({ status }) => status)).toEqual([200, 404, 404, 200])
    const members = [...(await unzip((await chunk(id)).bytes)).values()]
    await assertEnds(members, 4)
  })
})

describe('hostile images', () => {
  const refused = hostileImages(whole)
  const odd = oddImages()
  beforeAll(() => attachAll([...refused, ...odd]), corpusMs)

  test.each(named(refused))('an invalid image is refused: %s', (_, file) =>
    assertRefused(of(file), file),
  )

  test.each(named(odd))('an unusual image is read: %s', (_, file) => assertFrames(of(file), file))

  test('truncated images become frames without an image, and the frames around them are readable', async () => {
    const broken = brokenImages(whole)
    const files = [{ ...one, name: 'a.png' }, ...broken, { ...two, name: 'c.png' }]
    const { id, request, task } = await attach(files)
    expect([request.status, request.message, task.size]).toEqual(['finished', '', files.length])
    for (const [index, { name, bytes }] of broken.entries()) {
      const { status, bytes: body } = await frame(id, index + 1)
      const code = status === 404 && JSON.parse(body.toString()).code
      expect([name, code]).toEqual([name, 'image_undecodable'])
      const original = await frame(id, index + 1, 'original')
      expect([original.status, original.bytes.equals(bytes)]).toEqual([200, true])
    }
    for (const quality of ['compressed', 'original']) {
      const members = [...(await unzip((await chunk(id, quality)).bytes)).values()]
      await assertEnds(members, files.length)
    }
  })

  test.runIf(canLook)(
    'the worker was not restarted, and kept no memory of the files',
    assertUnharmed,
  )
})

describe('hostile videos', () => {
  const refused = hostileVideos(() => elsewhere.url)
  const odd = oddVideos(() => elsewhere.url)
  beforeAll(() => attachAll([...refused, ...odd]), corpusMs)

  test.each(named(refused))('an invalid video is refused: %s', (_, file) =>
    assertRefused(of(file), file),
  )

  test.each(named(odd))('a video with false metadata is read: %s', async (_, file) => {
    await assertFrames(of(file), file)
    const { id, task } = of(file)
    expect(task.size).toBe(file.size)
    expect((await frame(id, file.size - 1)).status).toBe(200)
  })

  test('no address named by a video was requested', () => {
    expect(elsewhere.received).toEqual([])
  })

  test.runIf(canLook)(
    'the worker was not restarted, and kept no memory of the files',
    assertUnharmed,
  )
})

describe('T-ZIP: after all attacks', () => {
  test('no archive member was written outside of the archive', () => {
    const places = [tmpdir(), '/tmp', '/', root, path, join(path, 'objects'), tmp]
    const all = places.flatMap((internal) => readdirSync(internal))
    expect(all.filter((name) => name.includes(escaped))).toEqual([])
    expect(readdirSync(tmp).filter((name) => name.startsWith('reticle-request'))).toEqual([])
  })

  test('no object or temporary file is left after the tasks are deleted and the sweeper has run', async () => {
    await atOnce(sideBySide, [...tasks.entries()], async ([index, id]) => {
      const { size } = await api.done('GET', `/tasks/${id}`)
      if (size === 0 && index % 2 === 0) await api.done('DELETE', `/tasks/${id}/data`)
      await api.done('DELETE', `/tasks/${id}`)
    })
    const left = () => objects().filter((name) => !before.includes(name))
    for (let sweeps = 0; left().length > 0 && sweeps < 3; sweeps++) await sweep(left)
    expect([left(), readdirSync(tmp)]).toEqual([[], []])
  }, 120_000)
})

/**
 * Objects are deleted an hour after they expire. Objects shared by several uploads expire with the first of these
 * sweeps.
 */
async function sweep(left: () => string[]): Promise<void> {
  const people = await reticle.people()
  const aged = `update requests.blobs set dead_date = dead_date - interval '2 hours'
    where not exists (select from requests.blobs where state <> 'dead')`
  await vi.waitFor(() => longAgo(people, aged, []), { timeout: 60_000, interval: 200 })
  await reticle.stop()
  reticle = await startReticle(path, settings)
  const isEmpty = () => expect(left()).toEqual([])
  await vi.waitFor(isEmpty, { timeout: 5000 }).catch(() => undefined)
}
