import { METHODS } from 'node:http'
import { answered, type Operation, type Operations } from '@reticle/contracts/api/operation'
import { targets } from '@reticle/contracts/rest/facts'
import type { Context } from '@reticle/kit'
import type { FastifyInstance, HTTPMethods } from 'fastify'
import type { AskBusy } from './busy.ts'
import type { Dialect } from './dialects/dialect.ts'
import { methodNotAllowed } from './http-error.ts'
import type { AfterCall } from './plugins/dialect-sessions.ts'
import { present, sendJson } from './present.ts'
import { type Limits, reader } from './read.ts'
import { contextOf } from './request.ts'
import { withForms } from './routes/text-form.ts'

/** A service without its types: a row names what is called, and what it is called with was parsed by that row. */
export interface AnyService {
  [operation: string]: Caller['call']
}
interface Caller {
  call(input: unknown, context: Context): Promise<unknown>
}

export interface ServeOptions {
  limits: Limits
  askBusy: AskBusy
  afterCall: AfterCall
}

/** Makes every row of a table that a service answers a route: read, call, present (`house.md` 3). */
export function serve(
  app: FastifyInstance,
  table: Operations,
  service: AnyService,
  options: ServeOptions,
): void {
  for (const operation of answered(table)) {
    const call = service[operation.name]
    if (operation.method === null) continue
    if (!call) throw new Error(`nobody answers ${operation.name}`)
    if (!operation.form) route(app, operation, call, options)
    else withForms(app, (scope) => route(scope, operation, call, options))
  }
}

function route(
  app: FastifyInstance,
  operation: Operation,
  call: Caller['call'],
  { limits, askBusy, afterCall }: ServeOptions,
): void {
  const read = reader(operation, limits)
  app.route({
    method: methodOf(operation),
    url: pathOf(operation),
    config: { operation },
    handler: async (request, reply) => {
      const input = await read(request)
      const context = contextOf(request)
      const known = operation.busy && (await askBusy(operation, input, context))
      const answer = await call({ ...input, ...known }, context)
      if (request.dialect) await afterCall({ operation, input, answer, request, reply })
      return present(operation, request, reply, answer)
    },
  })
}

/** The path of a row as a route; one trailing slash is optional on all of them (`spec/api-workspace.md` 1.1). */
export const pathOf = ({ path }: Operation): string => path.replace(/\/$/, '')

/** What the first part of a row's path stands for. */
export function targetOf({ path, name }: Operation): (typeof targets)[number] {
  const target = targets.find((one) => path.startsWith(`/${one}s/`))
  if (!target) throw new Error(`${name} has no target in its path`)
  return target
}

/** @throws Error for a call between services, which is no route */
export function methodOf({ method, name }: Operation): HTTPMethods {
  if (method === null) throw new Error(`${name} is no operation of the REST API`)
  return method
}

/** A tunnel (CONNECT) is no request for us: Node closes the connection. OPTIONS has an answer of its own. */
const methods = METHODS.filter((one) => one !== 'CONNECT' && one !== 'OPTIONS')
const usual = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'])

/** Makes every method that Node reads one of the router's, QUERY without its rule about bodies: no row has it. */
export function knowMethods(app: FastifyInstance): void {
  for (const method of methods)
    if (!usual.has(method)) app.addHttpMethod(method, { overrideExisting: true })
}

/** What clients of a dialect read as the answer to OPTIONS. */
function describe({ mediaType }: Dialect, rows: readonly Operation[]) {
  const [first] = rows
  return {
    name: first?.name ?? '',
    description: first?.summary ?? '',
    renders: [mediaType],
    parses: ['application/json', 'multipart/form-data', 'application/x-www-form-urlencoded'],
  }
}

/** 405 with `Allow` for known paths, 204 for OPTIONS (200 in a dialect): the rows know what is allowed. */
export function serveOtherMethods(app: FastifyInstance, operations: readonly Operation[]): void {
  for (const url of new Set(operations.map(pathOf))) {
    const rows = operations.filter((one) => pathOf(one) === url)
    const own = new Set<string>(rows.map(methodOf))
    if (own.has('GET')) own.add('HEAD')
    const allow = [...own, 'OPTIONS'].join(', ')
    app.options(url, (request, reply) => {
      reply.header('allow', allow)
      if (!request.dialect) return reply.code(204).send()
      return sendJson(request, reply, describe(request.dialect, rows))
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
