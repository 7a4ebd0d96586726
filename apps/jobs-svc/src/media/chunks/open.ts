import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { media } from '@reticle/contracts/api/media'
import { decodeFrames } from '@reticle/contracts/frame-lines'
import { type CallContext, DomainError, type Service } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { beyondCall } from '@reticle/kit/call/signal'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../../db/schema.ts'
import {
  type ChunkClaim,
  claimChunk,
  dropChunk,
  dropOlderChunks,
  findChunk,
  releaseClaim,
  renewClaim,
  type StoredChunk,
  storeChunk,
} from '../../storage/repo-chunks.ts'
import { makeDead, makeLive, registerPending } from '../../storage/repo-objects.ts'
import { defaultConcurrency, type ImageDecoder } from '../frames/decode.ts'
import { limitConcurrency } from '../frames/limit-concurrency.ts'
import { assertUnchanged } from '../frames/source.ts'
import { writeChunkArchive } from './archive.ts'
import { withChecksum } from './checksum.ts'
import { type ChunkVariant, chunkName } from './name.ts'

export interface ChunkContent {
  /** Size in bytes. */
  size: number
  /** Equal for equal bytes. */
  checksum: string
  etag: string
  chunks: AsyncIterable<Uint8Array>
}

export interface Chunks {
  /**
   * Opens a chunk, which is made when it does not exist. Concurrent callers wait for a while, in any process.
   *
   * @throws DomainError too_many when it takes longer, while its making continues; errors of reading its frames
   */
  open: (chunk: ChunkVariant, context: CallContext) => Promise<ChunkContent>
  /** Stops all chunks in the making. */
  stop: () => Promise<void>
}

export interface ChunkTiming {
  /** Longest time that a caller waits for a chunk. */
  patienceMs: number
  /** Time without renewal after which another process may make the chunk. */
  leaseMs: number
  /** Interval of checks whether another process is done. */
  pollMs: number
}

const defaultTiming: ChunkTiming = { patienceMs: 10_000, leaseMs: 30_000, pollMs: 100 }

/** Longest time in milliseconds to make one chunk. */
const longestMs = 3_600_000

export interface ChunkDeps {
  db: Kysely<RequestsDb>
  blobs: BlobStore
  decode: ImageDecoder
  media: Pick<Service<typeof media>, 'readFrames'>
  timing?: Partial<ChunkTiming>
}

/**
 * Creates the chunks of a process. A chunk is made at its first read, once for all processes, and kept in the object
 * store.
 */
export function openChunks({ timing, ...deps }: ChunkDeps): Chunks {
  const times = { ...defaultTiming, ...timing }
  const stopping = new AbortController()
  const limit = limitConcurrency(defaultConcurrency)
  const working = new Map<string, Promise<void>>()

  /** Returns false when another process is making it. */
  const makeIfFree = async (chunk: ChunkVariant, context: CallContext) => {
    stopping.signal.throwIfAborted()
    const claim = claimOf(chunk)
    if (!(await claimChunk(deps.db, claim, times.leaseMs))) return false
    await buildChunk({ ...deps, ...times, claim, chunk, signal: stopping.signal }, context)
    return true
  }
  const step = async (chunk: ChunkVariant, context: CallContext) => {
    const isMade = await limit(() => makeIfFree(chunk, context))
    if (!isMade) await sleep(times.pollMs)
  }
  /** Makes one step towards a missing chunk: makes it, or gives another process time to make it. */
  const wait = (chunk: ChunkVariant, context: CallContext) => {
    const name = `${chunk.task_id} ${chunkName(chunk)}`
    const begin = () => step(chunk, context).finally(() => working.delete(name))
    const running = working.get(name) ?? beyondCall(begin)
    working.set(name, running)
    return running
  }

  return {
    open: async (chunk, context) => {
      const answered = new AbortController()
      const patience = untilLate(times.patienceMs, answered.signal)
      try {
        for (;;) {
          const opened = await openStored(deps, chunk)
          if (opened && chunk.storage === 'share')
            await assertSourcesUnchanged(deps, chunk, context)
          if (opened) return opened
          await Promise.race([wait(chunk, context), patience])
        }
      } finally {
        answered.abort()
      }
    },
    stop: async () => {
      stopping.abort(new DomainError('unavailable', 'The server is stopping.'))
      await Promise.allSettled(working.values())
    },
  }
}

async function assertSourcesUnchanged(
  { blobs, media }: Pick<ChunkDeps, 'blobs' | 'media'>,
  { task_id, start, stop, chosen }: ChunkVariant,
  context: CallContext,
): Promise<void> {
  const isIn = chosen && new Set(chosen.frames)
  const { chunks: lines } = await media.readFrames({ task_id, start, stop }, context)
  let first = start
  for await (const batch of decodeFrames(lines)) {
    const own = batch.filter((_, place) => isIn === undefined || isIn.has(first + place))
    await assertUnchanged(blobs, own)
    first += batch.length
  }
}

/** Rejects when a caller has waited for long enough. */
function untilLate(ms: number, signal: AbortSignal): Promise<never> {
  const late = sleep(ms, undefined, { signal }).then(() => {
    throw chunkBeingPrepared()
  })
  late.catch(() => undefined)
  return late
}

const chunkBeingPrepared = () =>
  new DomainError('too_many', 'The chunk is being prepared.', {
    code: 'chunk_being_prepared',
    retry_after: 10,
  })

const claimOf = (chunk: ChunkVariant): ChunkClaim => ({
  task_id: chunk.task_id,
  name: chunkName(chunk),
  data_revision: chunk.data_revision,
  builder: randomUUID(),
})

/** Opens a stored chunk. When its object is missing, drops the row, so that it is made again. */
async function openStored(
  { db, blobs }: Pick<ChunkDeps, 'db' | 'blobs'>,
  chunk: ChunkVariant,
): Promise<ChunkContent | undefined> {
  const name = chunkName(chunk)
  const found = await findChunk(db, { task_id: chunk.task_id, name })
  if (!found) return undefined
  const { size, checksum } = found
  try {
    const { chunks } = await blobs.get(found.object_key)
    return { size, checksum, etag: `"c${chunk.task_id}-${name}-${checksum}"`, chunks }
  } catch (thrown) {
    if (!(thrown instanceof DomainError) || thrown.kind !== 'not_found') throw thrown
    await dropChunk(db, found)
    return undefined
  }
}

interface ChunkBuild extends ChunkDeps, ChunkTiming {
  claim: ChunkClaim
  chunk: ChunkVariant
  signal: AbortSignal
}

/** Makes a claimed chunk. A failure releases the claim and rejects all waiting callers in this process. */
async function buildChunk(
  { db, leaseMs, claim, ...deps }: ChunkBuild,
  context: CallContext,
): Promise<void> {
  const lost = new AbortController()
  const renew = async () => {
    const isOurs = await renewClaim(db, claim, leaseMs).catch(() => true) // a failed call is retried until the lease ends
    if (!isOurs) lost.abort(chunkBeingPrepared())
  }
  const timer = setInterval(() => void renew(), leaseMs / 3)
  const signal = AbortSignal.any([deps.signal, lost.signal])
  const object_key = `requests/chunks/${claim.task_id}/${claim.builder}`
  try {
    await registerPending(db, { key: object_key, kind: 'frames', task_id: claim.task_id })
    const written = await write({ ...deps, object_key, signal }, context)
    await publishChunk(db, claim, { object_key, ...written })
  } catch (thrown) {
    await makeDead(db, object_key)
    await releaseClaim(db, claim)
    throw thrown
  } finally {
    clearInterval(timer)
  }
}

async function write(
  {
    blobs,
    decode,
    media,
    chunk,
    object_key,
    signal,
  }: Pick<ChunkBuild, 'blobs' | 'decode' | 'media' | 'chunk' | 'signal'> & { object_key: string },
  context: CallContext,
): Promise<Pick<StoredChunk, 'size' | 'checksum'>> {
  const { task_id, start, stop } = chunk
  const own = { ...context, deadline: Date.now() + longestMs, signal }
  const { chunks: lines } = await media.readFrames({ task_id, start, stop }, own)
  const archive = writeChunkArchive({ blobs, decode, sideBySide: defaultConcurrency }, chunk, lines)
  const { bytes, checksum } = withChecksum(archive)
  const { size } = await blobs.put(object_key, bytes, { signal })
  return { size, checksum: checksum() }
}

/** Publishes a chunk; refuses when the claim was lost or the task was deleted meanwhile. */
async function publishChunk(
  db: Kysely<RequestsDb>,
  claim: ChunkClaim,
  stored: StoredChunk,
): Promise<void> {
  const { object_key, size } = stored
  await db.transaction().execute(async (tx) => {
    const isOurs = await storeChunk(tx, claim, stored)
    if (!isOurs || !(await makeLive(tx, object_key, { size }))) throw chunkBeingPrepared()
    await dropOlderChunks(tx, claim)
  })
}
