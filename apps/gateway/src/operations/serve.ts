import { METHODS } from 'node:http'
import {
  listServiceOperations,
  type Operation,
  type Operations,
} from '@reticle/contracts/api/operation'
import { targets } from '@reticle/contracts/rest/facts'
import type { CallContext } from '@reticle/kit'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import { withForms } from '../bodies/text-form.ts'
import type { Dialect } from '../call/dialect.ts'
import { methodNotAllowed } from '../call/http-error.ts'
import { contextOf } from '../call/request.ts'
import type { AfterCall } from '../plugins/credentials/dialect-sessions.ts'
import { presentResult, sendJson } from '../responses/present.ts'
import type { BusyLookup } from './busy.ts'
import { createInputReader, type ReadLimits } from './read.ts'

/** A service without its types: the operation names the method to call and has validated its input. */
export interface AnyService {
  [operation: string]: Caller['call']
}
interface Caller {
  call(input: unknown, context: CallContext): Promise<unknown>
}

export interface ServeOptions {
  limits: ReadLimits
  lookUpBusy: BusyLookup
  afterCall: AfterCall
}

/** Registers a route for every operation of a table: read the input, call the service, present the result. */
export function serveOperations(
  app: FastifyInstance,
  table: Operations,
  service: AnyService,
  options: ServeOptions,
): void {
  for (const operation of listServiceOperations(table)) {
    const call = service[operation.name]
    if (operation.method === null) continue
    if (!call) throw new Error(`no handler implements ${operation.name}`)
    if (!operation.form) registerRoute(app, operation, call, options)
    else withForms(app, (scope) => registerRoute(scope, operation, call, options))
  }
}

function registerRoute(
  app: FastifyInstance,
  operation: Operation,
  call: Caller['call'],
  { limits, lookUpBusy, afterCall }: ServeOptions,
): void {
  const read = createInputReader(operation, limits)
  app.route({
    method: methodOf(operation),
    url: pathOf(operation),
    config: { operation },
    handler: async (request, reply) => {
      const input = await read(request)
      const context = contextOf(request)
      const known = operation.busy && (await lookUpBusy(operation, input, context))
      const answer = await call({ ...input, ...known }, context)
      if (request.dialect) await afterCall({ operation, input, answer, request, reply })
      return presentResult(operation, request, reply, answer)
    },
  })
}

/** Returns the route of an operation; one trailing slash is optional for all routes. */
export const pathOf = ({ path }: Operation): string => path.replace(/\/$/, '')

/** Returns the resource type of an operation, from the first part of its path. */
export function targetOf({ path, name }: Operation): (typeof targets)[number] {
  const target = targets.find((one) => path.startsWith(`/${one}s/`))
  if (!target) throw new Error(`${name} has no target in its path`)
  return target
}

/**
 * Returns the HTTP method of an operation.
 * @throws Error for a call between services, which has no route
 */
export function methodOf({ method, name }: Operation): HTTPMethods {
  if (method === null) throw new Error(`${name} is not an operation of the REST API`)
  return method
}

/** Methods of the router. CONNECT is excluded because Node closes such a connection; OPTIONS is served separately. */
const methods = METHODS.filter((one) => one !== 'CONNECT' && one !== 'OPTIONS')
const usual = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'])

/**
 * Registers every method that Node parses, including QUERY without its rule for bodies, because no operation uses it.
 */
export function registerMethods(app: FastifyInstance): void {
  for (const method of methods)
    if (!usual.has(method)) app.addHttpMethod(method, { overrideExisting: true })
}

/** Returns the body of a response to OPTIONS in a dialect. */
function describeOptions({ mediaType }: Dialect, rows: readonly Operation[]) {
  const [first] = rows
  return {
    name: first?.name ?? '',
    description: first?.summary ?? '',
    renders: [mediaType],
    parses: ['application/json', 'multipart/form-data', 'application/x-www-form-urlencoded'],
  }
}

/** Serves 405 with `Allow` for known paths, and 204 for OPTIONS (200 in a dialect). */
export function serveOtherMethods(app: FastifyInstance, operations: readonly Operation[]): void {
  for (const url of new Set(operations.map(pathOf))) {
    const rows = operations.filter((one) => pathOf(one) === url)
    const own = new Set<string>(rows.map(methodOf))
    if (own.has('GET')) own.add('HEAD')
    const allow = [...own, 'OPTIONS'].join(', ')
    app.options(url, (request, reply) => {
      reply.header('allow', allow)
      if (!request.dialect) return reply.code(204).send()
      return sendJson(request, reply, describeOptions(request.dialect, rows))
    })
    app.route({
      method: methods.filter((one) => !own.has(one)),
      url,
      onRequest: async (request, reply) => {
        reply.header('allow', allow)
        throw methodNotAllowed(request.method)
      },
      handler: (_, reply) => reply.send(),
    })
  }
}
