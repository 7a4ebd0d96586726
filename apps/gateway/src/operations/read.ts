import { isBytes, type Operation } from '@reticle/contracts/api/operation'
import { headerName } from '@reticle/contracts/openapi'
import { invalidInput, notFound } from '@reticle/kit'
import { readIfMatch } from '@reticle/kit/call/etag'
import { parseInSteps } from '@reticle/kit/call/parse'
import { createPacer } from '@reticle/kit/scheduling/pacer'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { bodyOf } from '../bodies/body.ts'
import { readTextForm } from '../bodies/text-form.ts'
import { readValues } from '../bodies/url-form.ts'
import { isForm, isUpload, onlyOne, queryOf, translationOf } from '../call/request.ts'
import type { GatewaySettings } from '../config.ts'
import { allowToken } from '../plugins/credentials/token-rights.ts'

export type ReadLimits = Pick<GatewaySettings, 'maxBodyBytes' | 'maxAnnotationsBodyBytes'>

/** Reads a call as the input of its handler: `{...params, ...query, ...headers, body}`. */
export type InputReader = (request: FastifyRequest) => Promise<Record<string, unknown>>

/**
 * Creates the reader of an operation. Invalid params mean a missing object (404); an invalid query, header or body is
 * an error of the client (400). Bytes are passed on unread. Finally the permissions of the caller's token and the
 * membership in the named organization are checked (403): every route reads its input this way, so none can skip the
 * checks.
 */
export function createInputReader(operation: Operation, limits: ReadLimits): InputReader {
  const { params, query, headers, body } = operation
  const names = headersOf(operation)
  const rest = z.object({
    ...query?.shape,
    ...headers?.shape,
    ...(body && takesValues(operation) && { body }),
  })
  const parse = (given: object) => parseInSteps(rest, given, createPacer())
  const ofNothing = parse({ body: {} }) // most reads have no input, with always the same result
  return async (request) => {
    const paramValues = readParams(params, request)
    const translation = translationOf(request, operation)
    const queryValues = readQuery(query, request)
    const given = {
      ...(translation?.query?.(queryValues) ?? queryValues),
      ...readHeaders(names, request),
    }
    const sent = await readBody(operation, request, limits)
    const isNothing = sent === undefined && Object.values(given).every((one) => one === undefined)
    const parsed = await (isNothing
      ? ofNothing
      : parse({ ...given, body: sent === undefined ? {} : sent }))
    if (parsed.issues) throw invalidInput(parsed.issues.map(withoutBodyPrefix))
    allowToken(operation, request)
    const input = { ...paramValues, ...parsed.data, ...(isBytes(body) && { body: sent }) }
    return translation?.input?.(input) ?? input
  }
}

function readParams(params: Operation['params'], { params: given }: FastifyRequest) {
  const values = Object.values(given ?? {})
  if (values.some((value) => String(value).includes('\0'))) throw notFound()
  const paramValues = params?.safeParse(given)
  if (paramValues?.error) throw notFound()
  return paramValues?.data
}

/** Reads the query; parameters that the operation does not declare are ignored. */
function readQuery(query: Operation['query'], request: FastifyRequest): Record<string, unknown> {
  const given = queryOf(request)
  if (given.size === 0) return {}
  const declared = Object.keys(query?.shape ?? {}).filter((name) => given.has(name))
  return Object.fromEntries(declared.map((name) => [name, onlyOne(name, given.get(name))]))
}

/** Returns the declared headers with the names that Node uses. */
function headersOf({ headers }: Operation): [name: string, header: string][] {
  const names = Object.keys(headers?.shape ?? {})
  return names.map((name) => [name, headerName(name).toLowerCase()])
}

function readHeaders(names: ReturnType<typeof headersOf>, { headers }: FastifyRequest) {
  if (names.some(([name]) => name === 'if_match')) readIfMatch(headers['if-match'])
  return Object.fromEntries(names.map(([name, header]) => [name, headers[header]]))
}

async function readBody(operation: Operation, request: FastifyRequest, limits: ReadLimits) {
  if (operation.media_type) return undefined
  if (isBytes(operation.body)) return bodyOf(request, limits.maxAnnotationsBodyBytes)
  if (!takesValues(operation)) return undefined
  const isInForm = operation.form !== undefined && isForm(request)
  if (isInForm) return readTextForm(request, limits.maxBodyBytes)
  return readValues(request, limits.maxBodyBytes)
}

/**
 * Returns whether the body contains values. Bodies of reads and deletions are ignored; uploaded forms and pieces of
 * files are read by their routes.
 */
function takesValues(operation: Operation): boolean {
  const { method, body } = operation
  return method !== 'GET' && method !== 'DELETE' && !isUpload(operation) && !isBytes(body)
}

/** Removes `body` from the path of an error: the client's field is `name`, not `body.name`. */
function withoutBodyPrefix<I extends { path: PropertyKey[] }>(issue: I): I {
  return issue.path[0] === 'body' ? { ...issue, path: issue.path.slice(1) } : issue
}
