import type { CallContext } from '@reticle/kit'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { limitedBytes } from '../bodies/body.ts'
import { contextOf } from '../call/request.ts'
import type { GatewayPorts } from '../ports.ts'
import {
  createChecksum,
  createMismatchError,
  isSpread,
  readChecksum,
  sha256Of,
} from './checksum.ts'
import { readBytes } from './creation.ts'
import { setFileHeaders } from './headers.ts'
import { openChunkSource } from './source.ts'
import { storeChunk } from './store-chunk.ts'

type Requests = GatewayPorts['services']['requests']
type FileQuery = Parameters<Requests['findFile']>[0]
type RecordedChunk = Awaited<ReturnType<Requests['noteChunk']>>
type ChunkLease = Awaited<ReturnType<Requests['openChunk']>>

/**
 * Receives the next bytes of a file. Stored bytes count even when the client disconnects: the offset is recorded
 * after each part and at the end. Bytes with a checksum count only when they are complete and correct.
 */
export async function answerChunk(
  fileQuery: FileQuery,
  request: FastifyRequest,
  reply: FastifyReply,
  { services: { requests }, blobs }: GatewayPorts,
): Promise<FastifyReply> {
  const offset = readBytes('Upload-Offset', request.headers['upload-offset'])
  const bytes = readBytes('Content-Length', request.headers['content-length'])
  const checksum = readChecksum(request)
  const context = contextOf(request)
  const opened = await requests.openChunk({ ...fileQuery, offset, bytes }, context)
  const { lease, filename } = opened
  if (lease === undefined) return sendConflict(reply, opened.offset)

  const { file_id } = fileQuery
  const recordOffset = (at: number, is_over: boolean, sha256?: string) =>
    requests.noteChunk({ file_id, lease, offset: at, is_over, sha256 }, ownContext(context))
  const end = offset + bytes
  const sum = checksum && createChecksum(checksum)
  const arriving = limitedBytes(request.raw, bytes)
  const source = openChunkSource(sum ? sum.seen(arriving) : arriving)
  let recorded: RecordedChunk | undefined
  let isWrong = false
  const onStored = async (at: number, sha256: string) => {
    if (sum && at < end) return true
    isWrong = sum !== undefined && !sum.isRight()
    if (isWrong) return false
    const whole = at === end ? await wholeSum(opened, end, sha256, { blobs }) : undefined
    recorded = await recordOffset(at, at === end, whole)
    return recorded.is_noted
  }
  // When the store fails, a write may still be in progress, so the lease is kept and the next chunk takes over.
  const stored = await storeChunk(blobs, { opened, end, source, onStored })
  const counted = sum && (isWrong || stored !== end) ? offset : stored
  if (recorded === undefined || (recorded.is_noted && counted !== end))
    recorded = await recordOffset(counted, true)
  if (!recorded.is_noted) return sendConflict(reply, recorded.offset)
  const broken = source.broken()
  if (broken) throw broken.thrown
  if (isWrong)
    throw createMismatchError('These bytes are not those of Upload-Checksum. Send them again.')
  if (recorded.is_refused)
    throw createMismatchError('The file is not what its Upload-Checksum announced. Begin anew.')
  setFileHeaders(reply, { filename, expires_date: recorded.expires_date, offset: counted })
  return reply.code(204).send()
}

/**
 * Returns the checksum of the file when it ends here: known for a single object, otherwise computed if it has to be
 * checked.
 * @param sha256 Checksum of the last object of the file.
 */
async function wholeSum(
  { key, is_checked }: ChunkLease,
  end: number,
  sha256: string,
  { blobs }: Pick<GatewayPorts, 'blobs'>,
): Promise<string | undefined> {
  if (!isSpread(key)) return sha256
  return is_checked ? sha256Of(blobs, key, end) : undefined
}

/** Responds without a body; a header contains the offset at which to continue. */
function sendConflict(reply: FastifyReply, offset: number): FastifyReply {
  return reply
    .code(409)
    .headers({ 'upload-offset': offset, 'x-error-code': 'upload_offset' })
    .send()
}

const ownMs = 15_000

/**
 * Returns a context without the client's signal, because the offset is also recorded after the client has
 * disconnected.
 */
const ownContext = ({ next_call_id: _, ...context }: CallContext): CallContext => ({
  ...context,
  deadline: Date.now() + ownMs,
  signal: new AbortController().signal,
})
