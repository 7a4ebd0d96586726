import type { Operation } from '@reticle/contracts'
import type { UploadPurpose } from '@reticle/contracts/rest/uploads'
import type { Context } from '@reticle/kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { GatewayPorts } from '../ports.ts'
import { present } from '../present.ts'
import { reader } from '../read.ts'
import { baseOf, contextOf } from '../request.ts'
import { pathOf, targetOf } from '../serve.ts'
import { answerChunk } from './answer-chunk.ts'
import { readCreation } from './creation.ts'
import { assertVersion, setFileHeaders } from './headers.ts'

/** Files that arrive in pieces, by the protocol of resumable uploads (tus.io 1.0.0): `spec/api-annotations.md` 2.4. */

export interface FileRoutes {
  purpose: UploadPurpose
  /** Rows: how much has arrived, and the next bytes. */
  seen: Operation
  sent: Operation
}

/** What is to be made has no id yet. */
const named = z.object({ id: z.int().default(0), file_id: z.string() })

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
    const state = await services.requests.findFile(asked, contextOf(request))
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

/** Begins a file: `Location` is where its bytes are sent. None are wanted when `Upload-Offset` is its length already. */
export async function createFile(
  { purpose, operation, id }: NewFile,
  { request, context }: { request: FastifyRequest; context: Context },
  reply: FastifyReply,
  { services: { requests }, settings }: GatewayPorts,
): Promise<FastifyReply> {
  assertVersion(request)
  const creation = readCreation(request, settings.maxUploadBytes)
  const wanted = { purpose, target: targetOf(operation), id, ...creation }
  const { file_id, expires_date, offset } = await requests.createFile(wanted, context)
  const path = pathOf(operation).replace(':id', String(id))
  const filename = shownName(purpose, creation.name, file_id)
  setFileHeaders(reply, { filename, expires_date, ...(offset && { offset }) })
  reply.header('location', `${baseOf(request)}${path}/${file_id}`)
  return reply.code(201).send()
}

/** Files of a session are told apart by their names, others are named by their ids at the end. */
const shownName = (purpose: UploadPurpose, name: string, file_id: string) =>
  purpose === 'data' ? name : file_id
