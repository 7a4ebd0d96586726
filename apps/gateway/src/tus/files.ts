import type { Operation } from '@reticle/contracts'
import type { UploadPurpose } from '@reticle/contracts/rest/uploads'
import type { CallContext } from '@reticle/kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { baseOf, contextOf } from '../call/request.ts'
import { createInputReader } from '../operations/read.ts'
import { pathOf, targetOf } from '../operations/serve.ts'
import type { GatewayPorts } from '../ports.ts'
import { presentResult } from '../responses/present.ts'
import { answerChunk } from './answer-chunk.ts'
import { readCreation } from './creation.ts'
import { assertVersion, setFileHeaders } from './headers.ts'

/** Routes of files that arrive in pieces, with the resumable upload protocol (tus.io 1.0.0). */

export interface FileRoutes {
  purpose: UploadPurpose
  /** Operations for the state of a file, and for its next bytes. */
  stateOperation: Operation
  chunkOperation: Operation
}

/** Params; a restore creates a new object, so it has no id. */
const named = z.object({ id: z.int().default(0), file_id: z.string() })

export function serveFiles(
  scope: FastifyInstance,
  { purpose, stateOperation, chunkOperation }: FileRoutes,
  ports: GatewayPorts,
): void {
  const { services, settings } = ports
  const target = targetOf(stateOperation)
  const readStateInput = createInputReader(stateOperation, settings)
  scope.get(
    pathOf(stateOperation),
    { config: { operation: stateOperation } },
    async (request, reply) => {
      assertVersion(request)
      const fileQuery = { purpose, target, ...named.parse(await readStateInput(request)) }
      const state = await services.requests.findFile(fileQuery, contextOf(request))
      setFileHeaders(reply, state)
      const filename = Buffer.from(state.filename).toString('base64')
      reply.header('upload-metadata', `filename ${filename}`)
      return presentResult(stateOperation, request, reply, state)
    },
  )
  const readChunkInput = createInputReader(chunkOperation, settings)
  scope.patch(
    pathOf(chunkOperation),
    { config: { operation: chunkOperation } },
    async (request, reply) => {
      assertVersion(request)
      const fileQuery = { purpose, target, ...named.parse(await readChunkInput(request)) }
      return answerChunk(fileQuery, request, reply, ports)
    },
  )
}

interface NewFile {
  purpose: UploadPurpose
  operation: Operation
  id: number
}

/**
 * Creates a file: `Location` is the URL for its bytes. An `Upload-Offset` equal to its length means that no bytes
 * need to be sent.
 */
export async function createFile(
  { purpose, operation, id }: NewFile,
  { request, context }: { request: FastifyRequest; context: CallContext },
  reply: FastifyReply,
  { services: { requests }, settings }: GatewayPorts,
): Promise<FastifyReply> {
  assertVersion(request)
  const creation = readCreation(request, settings.maxUploadBytes)
  const newFile = { purpose, target: targetOf(operation), id, ...creation }
  const { file_id, expires_date, offset } = await requests.createFile(newFile, context)
  const path = pathOf(operation).replace(':id', String(id))
  const filename = shownName(purpose, creation.name, file_id)
  setFileHeaders(reply, { filename, expires_date, ...(offset && { offset }) })
  reply.header('location', `${baseOf(request)}${path}/${file_id}`)
  return reply.code(201).send()
}

/** Returns the name of a file for the last call: its own name in an upload of media, otherwise its id. */
const shownName = (purpose: UploadPurpose, name: string, file_id: string) =>
  purpose === 'data' ? name : file_id
