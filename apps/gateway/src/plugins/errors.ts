import { mediaType } from '@reticle/contracts/openapi'
import { type DomainError, kinds, toDomainError } from '@reticle/kit'
import type { Logger } from '@reticle/kit/observe/log'
import { traceBindings } from '@reticle/kit/observe/traces'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HttpError, type PublicError } from '../call/http-error.ts'
import { toJson } from '../responses/present.ts'
import { listsProblem } from './accept.ts'
import { setHeaders } from './headers.ts'
import { problemOf, problemType } from './problem.ts'
import { rateHeaders } from './rates/address-limit.ts'

/** Converts all errors to responses. Unexpected errors are logged and not disclosed. */
export function answerErrors(app: FastifyInstance, log: Logger): void {
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, log))
}

/** Sends an error; also used before routing, when no hook has run. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  log: Logger,
): void {
  const own = toPublicError(error)
  const failed = request.dialect?.failure?.(own) ?? own
  if (failed.status === 500) {
    const trace = traceBindings(request.work?.traceparent)
    log.error({ err: error, request_id: request.id, ...trace }, 'request failed')
  }
  setHeaders(request, reply)
  reply.code(failed.status).headers({ 'x-error-code': failed.code, 'cache-control': 'no-store' })
  if (failed.status === 401) reply.header('www-authenticate', 'Token')
  if (failed.retryAfter !== undefined) {
    reply.header('retry-after', failed.retryAfter)
    if (failed.limit !== undefined) reply.headers(rateHeaders(failed.limit, 0, failed.retryAfter))
  }
  const isProblem = listsProblem(request.headers.accept)
  const body = isProblem ? problemOf(failed, request) : bodyOf(failed, request.id)
  reply.type(isProblem ? problemType : (request.answerType ?? mediaType))
  reply.serializer(toJson).send(body)
}

export function bodyOf({ detail, code, body, more }: PublicError, request_id: string): unknown {
  return body ?? { detail, code, request_id, ...more }
}

/** Returns the public form of any error. */
export function toPublicError(error: unknown): PublicError {
  if (error instanceof HttpError) {
    const { status, code, message: detail } = error
    return { status, code, detail }
  }
  const known = frameworkErrors[codeOf(error)]
  return known ?? toPublicDomainError(toDomainError(error))
}

/** A disabled format gets 405, which is not the status of any error kind. */
const statusOfCode: Record<string, number> = { format_disabled: 405 }

function toPublicDomainError({
  kind,
  code,
  message,
  body,
  more,
  retry_after,
  limit,
}: DomainError): PublicError {
  const status = statusOfCode[code] ?? kinds[kind].http
  const retryAfter = kind === 'unavailable' ? (retry_after ?? 2) : retry_after
  return { status, code, detail: message, body, more, retryAfter, limit }
}

const badUrl = { status: 400, code: 'parse_error', detail: 'The path is not correctly encoded.' }
const noSuch = { status: 404, code: 'not_found', detail: 'Not found.' }

/** Errors of the framework by code. */
export const frameworkErrors: Record<string, PublicError> = {
  FST_ERR_BAD_URL: badUrl,
  FST_ERR_MAX_PARAM_LENGTH: noSuch,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    status: 415,
    code: 'unsupported_media_type',
    detail: 'The media type of the body is not valid.',
  },
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
