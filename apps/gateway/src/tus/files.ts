import type { Operation } from '@reticle/contracts'
import type { UploadPurpose } from '@reticle/contracts/rest/uploads'
import type { Context } from '@reticle/kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { limitedBytes } from '../body.ts'
import type { GatewayPorts } from '../ports.ts'
import { apiPrefix, present } from '../present.ts'
import { reader } from '../read.ts'
import { contextOf, originOf } from '../request.ts'
import { pathOf, targetOf } from '../serve.ts'
import { readBytes, readCreation } from './creation.ts'
import { assertVersion, setFileHeaders } from './headers.ts'
import { openSource } from './source.ts'
import { storeChunk } from './store-chunk.ts'

/** Files that arrive in pieces, by the protocol of resumable uploads (tus.io 1.0.0): `spec/api-annotations.md` 2.4. */

type Requests = GatewayPorts['services']['requests']

export interface FileRoutes {
  purpose: UploadPurpose
  /** Rows: how much has arrived, and the next bytes. */
  seen: Operation
  sent: Operation
}

const named = z.object({ id: z.int(), file_id: z.string() })

export function serveFiles(
  scope: FastifyInstance,
  { purpose, seen, sent }: FileRoutes,
  ports: GatewayPorts,
): void {
  const { services, settings } = ports
  const target = targetOf(seen)
  const readSeen = reader(seen, settings)
  scope.get(pathOf(seen), { config: { operation: seen } }, async (request, reply) => {
    assertVersion(request)
    const asked = { purpose, target, ...named.parse(await readSeen(request)) }
    const state = await services.requests.findFile(asked, contextOf(request, reply))
    setFileHeaders(reply, state)
    const filename = Buffer.from(state.filename).toString('base64')
    reply.header('upload-metadata', `filename ${filename}`)
    return present(seen, request, reply, state)
  })
  const readSent = reader(sent, settings)
  scope.patch(pathOf(sent), { config: { operation: sent } }, async (request, reply) => {
    assertVersion(request)
    const asked = { purpose, target, ...named.parse(await readSent(request)) }
    return answerChunk(asked, request, reply, ports)
  })
}

interface NewFile {
  purpose: UploadPurpose
  operation: Operation
  id: number
}

/** Begins a file: `Location` is where its bytes are sent. */
export async function createFile(
  { purpose, operation, id }: NewFile,
  { request, context }: { request: FastifyRequest; context: Context },
  reply: FastifyReply,
  { services: { requests }, settings }: GatewayPorts,
): Promise<FastifyReply> {
  assertVersion(request)
  const creation = readCreation(request, settings.maxUploadBytes)
  const wanted = { purpose, target: targetOf(operation), id, ...creation }
  const { file_id, expires_date } = await requests.createFile(wanted, context)
  const path = pathOf(operation).replace(':id', String(id))
  setFileHeaders(reply, { filename: shownName(purpose, creation.name, file_id), expires_date })
  reply.header('location', `${originOf(request)}${apiPrefix}${path}/${file_id}`)
  return reply.code(201).send()
}

/** Files of a session are told apart by their names, others are named by their ids at the end. */
const shownName = (purpose: UploadPurpose, name: string, file_id: string) =>
  purpose === 'data' ? name : file_id

type Asked = Parameters<Requests['findFile']>[0]

/**
 * Takes the next bytes of a file. What of them is stored counts, also when the client goes away in the middle: it is noted
 * part by part, and once more at the end.
 */
async function answerChunk(
  asked: Asked,
  request: FastifyRequest,
  reply: FastifyReply,
  { services: { requests }, blobs }: GatewayPorts,
): Promise<FastifyReply> {
  const offset = readBytes('Upload-Offset', request.headers['upload-offset'])
  const bytes = readBytes('Content-Length', request.headers['content-length'])
  const context = contextOf(request, reply)
  const opened = await requests.openChunk({ ...asked, offset, bytes }, context)
  const { lease, filename } = opened
  if (lease === undefined) return conflicting(reply, opened.offset)

  const { file_id } = asked
  const note = (at: number, is_over: boolean) =>
    requests.noteChunk({ file_id, lease, offset: at, is_over }, ownContext(context))
  const end = offset + bytes
  const source = openSource(limitedBytes(request.raw, bytes))
  let noted: Awaited<ReturnType<typeof note>> | undefined
  const onStored = async (at: number) => {
    noted = await note(at, at === end)
    return noted.is_noted
  }
  // Where the store fails, nobody knows what it still does: the lease is kept, so that the next one takes over.
  const stored = await storeChunk(blobs, { opened, end, source, onStored })
  if (noted === undefined || (noted.is_noted && stored !== end)) noted = await note(stored, true)
  if (!noted.is_noted) return conflicting(reply, noted.offset)
  const broken = source.broken()
  if (broken) throw broken.thrown
  setFileHeaders(reply, { filename, expires_date: noted.expires_date, offset: stored })
  return reply.code(204).send()
}

/** The body is none, so that the header is what says where to go on. */
function conflicting(reply: FastifyReply, offset: number): FastifyReply {
  return reply.code(409).headers({ 'upload-offset': offset, 'x-error-code': 'wrong_offset' }).send()
}

const ownMs = 15_000

/** What was stored is noted when the client has gone, too. */
const ownContext = ({ next_call_id: _, ...context }: Context): Context => ({
  ...context,
  deadline: Date.now() + ownMs,
  signal: new AbortController().signal,
})
