import multipart from '@fastify/multipart'
import { tables } from '@reticle/contracts'
import type { Operation } from '@reticle/contracts/api/operation'
import { DomainError } from '@reticle/kit'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { announcedLength } from '../body.ts'
import type { GatewayPorts } from '../ports.ts'
import { present } from '../present.ts'
import { reader } from '../read.ts'
import { contextOf } from '../request.ts'
import { pathOf } from '../serve.ts'
import { importUpload } from './annotation-upload.ts'
import { assetUpload } from './asset-upload.ts'
import { dataUpload } from './data-upload.ts'
import { assertBoundary } from './form.ts'
import type { Upload } from './upload.ts'

/** Uploads in one multipart request, streamed into the object store (`spec/api-annotations.md` 2.4 one-shot). */
export function serveUploads(api: FastifyInstance, ports: GatewayPorts): void {
  const { uploadTaskData, importTaskAnnotations, importJobAnnotations } = tables.requests
  void api.register(async (scope) => {
    await scope.register(multipart)
    serveUpload(scope, uploadTaskData, dataUpload, ports)
    serveUpload(scope, importTaskAnnotations, importUpload, ports)
    serveUpload(scope, importJobAnnotations, importUpload, ports)
    serveUpload(scope, tables.guides.createAsset, assetUpload, ports)
  })
}

function serveUpload(
  scope: FastifyInstance,
  operation: Operation,
  upload: Upload,
  ports: GatewayPorts,
): void {
  const read = reader(operation, ports.settings)
  scope.post(pathOf(operation), { config: { operation } }, async (request, reply) => {
    const input = await read(request)
    assertOneShot(request)
    const context = contextOf(request, reply)
    const answer = await upload({ operation, input, request, context }, ports)
    return present(operation, request, reply, answer)
  })
}

/**
 * A header without the other of its pair begins or ends a session of several requests; values do not count, they are
 * mostly empty.
 */
function assertOneShot(request: FastifyRequest): void {
  const has = (name: string) => request.headers[name] !== undefined
  const isSession =
    has('tus-resumable') || has('upload-multiple') || has('upload-start') !== has('upload-finish')
  if (isSession)
    throw new DomainError(
      'invalid',
      'Uploads in several requests are not supported. Send all files in one multipart/form-data request without Tus-* and Upload-* headers.',
    )
  if (announcedLength(request.raw) !== 0) assertBoundary(request)
}
