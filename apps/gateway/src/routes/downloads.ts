import { tables } from '@reticle/contracts'
import type { Operation } from '@reticle/contracts/api/operation'
import { DomainError, notFound, unavailable } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { formatAttachment } from '@reticle/kit/net/content-disposition'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { rangeNotSatisfiable } from '../call/http-error.ts'
import { contextOf } from '../call/request.ts'
import { createInputReader } from '../operations/read.ts'
import { pathOf, targetOf } from '../operations/serve.ts'
import type { GatewayPorts, GatewayServices } from '../ports.ts'
import { type ByteRange, readRequestedRange } from '../responses/range.ts'
import { bytesStream, guardContent, isNotModified, sendHeadOnly } from '../responses/send-bytes.ts'

type ResultFile = Awaited<ReturnType<GatewayServices['requests']['getResultFile']>>

/** Exports of events belong to no object, so the id defaults to 0. */
const downloadInput = z.object({ id: z.int().default(0), rq_id: z.string().optional() })

/**
 * Serves results of exports: streamed from the object store with ranges, or by a redirect to a presigned URL if
 * configured.
 */
export function serveDownloads(api: FastifyInstance, ports: GatewayPorts): void {
  const { downloadEvents, ...files } = tables.requests
  const { downloadProjectDataset, downloadTaskDataset, downloadJobDataset } = files
  const datasets = [downloadProjectDataset, downloadTaskDataset, downloadJobDataset]
  for (const operation of [...datasets, files.downloadProjectBackup, files.downloadTaskBackup])
    serveDownload(api, operation, targetOf(operation), ports)
  serveDownload(api, downloadEvents, 'events', ports)
}

function serveDownload(
  api: FastifyInstance,
  operation: Operation,
  target: Parameters<GatewayServices['requests']['getResultFile']>[0]['target'],
  { services: { requests }, blobs, settings }: GatewayPorts,
): void {
  const presign = settings.presign ? blobs.presign : undefined
  const read = createInputReader(operation, settings)
  const config = { operation, ignoresAccept: true }
  api.get(pathOf(operation), { config }, async (request, reply) => {
    const { id, rq_id } = downloadInput.parse(await read(request))
    const input = { target, id, rq_id }
    const file = await requests.getResultFile(input, contextOf(request))
    const isElsewhere = presign !== undefined && request.method === 'GET'
    if (isElsewhere && !isNotModified(request, file.etag))
      return redirectToPresigned(reply, file, { stat: blobs.stat, presign })
    return sendFile(request, reply, file, blobs)
  })
}

const addressSeconds = 15 * 60

/** Redirects to a presigned URL, which permits reading this file for a limited time and must not be cached. */
async function redirectToPresigned(
  reply: FastifyReply,
  { key, size, media_type: type, filename }: ResultFile,
  { stat, presign }: Required<Pick<BlobStore, 'stat' | 'presign'>>,
): Promise<FastifyReply> {
  assertWhole(await stat(key).catch(rethrowExpired), size)
  const address = await presign(key, { seconds: addressSeconds, type, filename })
  return reply.headers({ 'cache-control': 'no-store' }).redirect(address, 302)
}

/** Sends a file, a range of it, or its headers. `headers` are added to those of all results. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: ResultFile,
  blobs: BlobStore,
  headers: Record<string, string> = {},
): Promise<FastifyReply> {
  const setHeaders = () => setFileHeaders(reply, file).headers(headers)
  if (isNotModified(request, file.etag)) return setHeaders().code(304).send()
  const range = readRequestedRange(request, file.size, statesOf(file))
  if (range === 'none') {
    reply.header('content-range', `bytes */${file.size}`)
    throw rangeNotSatisfiable(file.size)
  }
  const part = range === 'whole' ? undefined : range
  const isHead = request.method === 'HEAD'
  const found = await (isHead ? blobs.stat(file.key) : blobs.get(file.key, part)).catch(
    rethrowExpired,
  )
  assertWhole(found, file.size)
  setLength(setHeaders(), file, range)
  return 'chunks' in found ? reply.send(bytesStream(found.chunks)) : sendHeadOnly(reply)
}

/**
 * Checks that the object is complete.
 * @throws DomainError unavailable when the stored object has another size
 */
function assertWhole({ size }: { size: number }, expected: number): void {
  if (size !== expected) throw unavailable(`The file has ${size} of ${expected} bytes.`)
}

function setFileHeaders(reply: FastifyReply, file: ResultFile): FastifyReply {
  guardContent(reply, file.media_type)
  return reply.headers({
    etag: file.etag,
    'last-modified': new Date(file.finished_date).toUTCString(),
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    'content-disposition': formatAttachment(file.filename),
  })
}

function setLength(
  reply: FastifyReply,
  { size, media_type }: ResultFile,
  range: 'whole' | ByteRange,
): void {
  reply.type(media_type)
  if (range === 'whole') return void reply.header('content-length', size)
  const { start, end } = range
  reply.code(206).headers({
    'content-range': `bytes ${start}-${end}/${size}`,
    'content-length': end - start + 1,
  })
}

const statesOf = ({ etag, finished_date }: ResultFile) => [
  etag,
  new Date(finished_date).toUTCString(),
]

function rethrowExpired(thrown: unknown): never {
  if (!(thrown instanceof DomainError) || thrown.kind !== 'not_found') throw thrown
  throw notFound('The exported file has expired, please retry exporting', 'result_expired')
}
