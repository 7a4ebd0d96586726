import { isBytes, type Operation } from '@reticle/contracts/api/operation'
import type { FastifyRequest } from 'fastify'
import { announcedLength, assertLength } from '../bodies/body.ts'
import { mayCarryNone } from '../bodies/upload-steps.ts'
import { isUrlForm } from '../bodies/url-form.ts'
import { unsupportedMediaType } from '../call/http-error.ts'
import { isForm, isUpload, type RequestCheck } from '../call/request.ts'
import type { GatewaySettings } from '../config.ts'

type Limits = Pick<
  GatewaySettings,
  'maxBodyBytes' | 'maxAnnotationsBodyBytes' | 'maxMultipartBytes' | 'maxUploadBytes'
>

const json = /^application\/(?:json|vnd\.[\w.+-]+\+json)$/

/** Checks the type, encoding and length that a body declares (415, 413), before it is read. */
export function checkBody(limits: Limits): RequestCheck {
  return (request, _reply, operation) => {
    const takesNone = operation.method === 'GET' || operation.method === 'DELETE'
    if (takesNone || announcedLength(request.raw) === 0) return
    assertType(request, operation)
    assertLength(request.raw, limitOf(request, operation, limits))
  }
}

function limitOf(request: FastifyRequest, operation: Operation, limits: Limits): number {
  if (operation.media_type) return limits.maxUploadBytes
  if (isUpload(operation) && isForm(request)) return limits.maxMultipartBytes
  return isBytes(operation.body) ? limits.maxAnnotationsBodyBytes : limits.maxBodyBytes
}

function assertType(request: FastifyRequest, operation: Operation): void {
  const { headers } = request
  const coding = headers['content-encoding']
  if (coding !== undefined && coding.toLowerCase() !== 'identity')
    throw unsupportedMediaType('Request bodies may not be compressed.')
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';')
  if (operation.form && isForm(request)) return
  if (operation.body && !isBytes(operation.body) && isUrlForm(request)) return
  const { media_type } = operation
  if (media_type !== undefined) {
    if (type.trim() === media_type) return
    throw unsupportedMediaType(`Send pieces of a file as ${media_type}.`)
  }
  if (isUpload(operation) && !operation.body && !mayCarryNone(request))
    throw unsupportedMediaType('Send the file as multipart/form-data.')
  if (!json.test(type.trim()))
    throw unsupportedMediaType(
      `Unsupported media type "${type.trim()}" in request. Send application/json.`,
    )
  assertCharset(parameters)
}

function assertCharset(parameters: readonly string[]): void {
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='))
  const name = charset?.slice('charset='.length).replaceAll('"', '')
  if (name !== undefined && name !== 'utf-8' && name !== 'utf8')
    throw unsupportedMediaType(`Unsupported charset "${name}". Send UTF-8.`)
}
