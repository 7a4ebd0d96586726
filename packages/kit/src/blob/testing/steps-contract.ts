import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { bytesOf } from '../../testing/bytes.ts'
import { type BlobStore, CannotGoOn, type PutProgress, stepBytes } from '../blob.ts'

/**
 * Registers the tests of `putInSteps` that every adapter of
 * `BlobStore` must pass. They use only keys below `contract/`.
 */
export function stepsContract(name: string, blobs: BlobStore): void {
  describe(`puts in steps on ${name}`, () => {
    testSteps(blobs)
    testLeft(blobs)
    testTwins(blobs)
  })
}

const missing = { kind: 'not_found' }

/** Content of two and a half steps. */
const long = randomBytes(2.5 * stepBytes)
const other = randomBytes(2.5 * stepBytes)

async function* from(bytes: Buffer, start = 0, end = bytes.length) {
  const piece = 100_000
  for (let at = start; at < end; at += piece) yield bytes.subarray(at, Math.min(end, at + piece))
}

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.of(1)
  throw new Error('source broke')
}

/** Builds a source that pauses after `chunks` until `letGo` is called, and then continues with `more`. */
function held(chunks: AsyncIterable<Uint8Array>, more: AsyncIterable<Uint8Array>) {
  let reached = () => {}
  let letGo = () => {}
  const isReached = new Promise<void>((resolve) => {
    reached = resolve
  })
  const isFree = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const source = (async function* () {
    yield* chunks
    reached()
    await isFree
    yield* more
  })()
  return { source, isReached, letGo }
}

/** Records the reported progress of a put. */
function listening() {
  const reported: PutProgress[] = []
  return { reported, isDue: () => true, onStored: (begun: PutProgress) => reported.push(begun) }
}

const silent = { isDue: () => false, onStored: () => expect.unreachable('nobody asked') }

/**
 * Returns the reported progress of a put that failed after the given
 * bytes, when every whole step before the last byte was stored.
 */
async function begin(blobs: BlobStore, key: string, bytes: Buffer): Promise<PutProgress[]> {
  const steps = listening()
  const source = (async function* () {
    yield* from(bytes)
    await untilReported(steps, stepsIn(bytes))
    throw new Error('source broke')
  })()
  await expect(blobs.putInSteps(key, source, steps)).rejects.toThrow('source broke')
  return steps.reported
}

const stepsIn = ({ length }: Buffer) => Math.ceil(length / stepBytes) - 1
const patience = { timeout: 20_000 }

/** Waits until that many steps were reported. Parts finish in any order, so several steps may be reported as one. */
const untilReported = ({ reported }: { reported: PutProgress[] }, steps: number) =>
  expect.poll(() => reported.at(-1)?.size, patience).toBe(steps * stepBytes)

async function digest(blobs: BlobStore, key: string) {
  const hash = createHash('sha256')
  for await (const piece of (await blobs.get(key)).chunks) hash.update(piece)
  return hash.digest('hex')
}

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function testSteps(blobs: BlobStore) {
  test.each([0, 1000, stepBytes, long.length])(
    'a put in steps of %i bytes makes an object',
    async (length) => {
      const stored = await blobs.putInSteps('contract/steps/a', from(long, 0, length), silent)
      expect(stored).toEqual({ size: length, etag: expect.any(String) })
      expect(await blobs.stat('contract/steps/a')).toMatchObject(stored)
      expect(await digest(blobs, 'contract/steps/a')).toBe(digestOf(long.subarray(0, length)))
    },
  )

  test('a failed put makes no object, and another one continues from any of its steps', async () => {
    for (const steps of [1, 2]) {
      const key = `contract/steps/b${steps}`
      const reported = await begin(blobs, key, long)
      await expect(blobs.stat(key)).rejects.toMatchObject(missing)
      expect(reported.at(-1)?.size).toBe(2 * stepBytes)
      const first = reported.find(({ size }) => size === steps * stepBytes) ?? reported[0]
      const rest = from(long, first?.size)
      const { size } = await blobs.putInSteps(key, rest, { ...silent, from: first })
      expect(size).toBe(long.length)
      expect(await digest(blobs, key)).toBe(digestOf(long))
    }
  })

  test('a put that continues an earlier one reports further steps', async () => {
    const key = 'contract/steps/c'
    const [first] = await begin(blobs, key, long.subarray(0, 1.5 * stepBytes))
    const steps = { ...listening(), from: first }
    const { source, isReached, letGo } = held(from(long, first?.size), broken())
    const ended = expect(blobs.putInSteps(key, source, steps)).rejects.toThrow('source broke')
    await isReached
    await untilReported(steps, 2)
    letGo()
    await ended
    const last = steps.reported.at(-1)
    await blobs.putInSteps(key, from(long, last?.size), { ...silent, from: last })
    expect(await digest(blobs, key)).toBe(digestOf(long))
  })

  test('a put that continues at the end of the content needs no more bytes', async () => {
    const last = (await begin(blobs, 'contract/steps/d', long)).at(-1)
    const { size } = await blobs.putInSteps('contract/steps/d', bytesOf(''), {
      ...silent,
      from: last,
    })
    expect(size).toBe(2 * stepBytes)
  })
}

function testLeft(blobs: BlobStore) {
  test('an aborted put keeps the bytes that it stored', async () => {
    const key = 'contract/steps/e'
    const abort = new AbortController()
    const { source, isReached } = held(from(long), from(long))
    const steps = { ...listening(), signal: abort.signal }
    const ended = expect(blobs.putInSteps(key, source, steps)).rejects.toThrow('caller left')
    await isReached
    await untilReported(steps, 2)
    abort.abort(new Error('caller left'))
    await ended
    const last = steps.reported.at(-1)
    await blobs.putInSteps(key, from(long, last?.size), { ...silent, from: last })
    expect(await digest(blobs, key)).toBe(digestOf(long))
  })

  test('a put does not continue after abandon, and does not read its source', async () => {
    const [reported] = await begin(blobs, 'contract/steps/f', long)
    const kept = await begin(blobs, 'contract/steps/f2', long)
    await blobs.abandon('contract/steps/f')
    await blobs.abandon('contract/steps/f')
    const unread = (async function* (): AsyncGenerator<Uint8Array> {
      yield expect.unreachable('it is read')
    })()
    const attempt = blobs.putInSteps('contract/steps/f', unread, { ...silent, from: reported })
    await expect(attempt).rejects.toThrow(CannotGoOn)
    const last = kept.at(-1)
    const rest = from(long, last?.size)
    await blobs.putInSteps('contract/steps/f2', rest, { ...silent, from: last })
    await blobs.abandon('contract/steps/f2')
    expect(await digest(blobs, 'contract/steps/f2')).toBe(digestOf(long))
  })

  test('removal of old leftovers includes the steps of unfinished puts', async () => {
    const [reported] = await begin(blobs, 'contract/steps/g', long)
    await blobs.removeUnfinished(new Date(Date.now() + 60_000))
    const attempt = blobs.putInSteps('contract/steps/g', bytesOf(''), { ...silent, from: reported })
    await expect(attempt).rejects.toThrow(CannotGoOn)
  })
}

/** Starts a put that is presumed dead but still runs. It reports `first` before it pauses. */
async function twin(blobs: BlobStore, key: string) {
  const steps = listening()
  const { source, isReached, letGo } = held(from(long, 0, 1.5 * stepBytes), from(other))
  const ended = blobs.putInSteps(key, source, steps).then(
    () => 'stored',
    () => 'failed',
  )
  await isReached
  await untilReported(steps, 1)
  return { first: steps.reported[0], letGo, ended }
}

function testTwins(blobs: BlobStore) {
  test('a writer that wakes up after its successor finished changes nothing', async () => {
    const key = 'contract/twins/a'
    const { first, letGo, ended } = await twin(blobs, key)
    await blobs.putInSteps(key, from(long, first?.size), { ...silent, from: first })
    letGo()
    expect(await ended).toBe('failed')
    expect(await digest(blobs, key)).toBe(digestOf(long))
  })

  test('a writer that dies while its successor runs does not damage the bytes of the successor', async () => {
    const key = 'contract/twins/b'
    const steps = listening()
    const first = held(from(long, 0, 1.5 * stepBytes), broken())
    const dying = blobs.putInSteps(key, first.source, steps).catch(() => 'failed')
    await first.isReached
    await untilReported(steps, 1)
    const [reported] = steps.reported
    const next = held(from(long, reported?.size, 2.2 * stepBytes), from(long, 2.2 * stepBytes))
    const ended = blobs.putInSteps(key, next.source, { ...silent, from: reported })
    await next.isReached
    first.letGo()
    expect(await dying).toBe('failed')
    next.letGo()
    await ended
    expect(await digest(blobs, key)).toBe(digestOf(long))
  })

  test('bytes of a writer and of its successor are never mixed in one object', async () => {
    const key = 'contract/twins/c'
    const { first, letGo, ended } = await twin(blobs, key)
    const next = held(from(long, first?.size, 2.2 * stepBytes), from(long, 2.2 * stepBytes))
    const last = blobs.putInSteps(key, next.source, { ...silent, from: first }).then(
      () => 'stored',
      () => 'failed',
    )
    await next.isReached
    letGo()
    const outcomes = [await ended]
    next.letGo()
    outcomes.push(await last)
    if (outcomes[1] === 'stored') expect(await digest(blobs, key)).toBe(digestOf(long))
    else if (outcomes[0] === 'failed') await expect(blobs.stat(key)).rejects.toMatchObject(missing)
    else {
      const late = Buffer.concat([long.subarray(0, 1.5 * stepBytes), other])
      expect(await digest(blobs, key)).toBe(digestOf(late))
    }
  })
}
