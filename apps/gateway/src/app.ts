import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { restOperations, tables } from '@reticle/contracts'
import fastify, { type FastifyInstance } from 'fastify'
import { apiPrefix, type RequestCheck } from './call/request.ts'
import type { GatewaySettings } from './config.ts'
import { createBusyLookup } from './operations/busy.ts'
import { registerMethods, serveOperations, serveOtherMethods } from './operations/serve.ts'
import { checkAccept } from './plugins/accept.ts'
import { chooseDialect, withoutMount } from './plugins/choose-dialect.ts'
import { compressAnswers } from './plugins/compress.ts'
import { clientErrors, watchConnections } from './plugins/connections/connections.ts'
import { OpenCalls } from './plugins/connections/open-calls.ts'
import { refuseUnderPressure, refuseWhenStopping } from './plugins/connections/pressure.ts'
import { logRefusals } from './plugins/connections/refusal-log.ts'
import { logRequests } from './plugins/connections/request-log.ts'
import { watchRequests } from './plugins/connections/watch.ts'
import { allowOrigins, setCorsHeaders } from './plugins/cors.ts'
import { createAuthenticationCheck } from './plugins/credentials/authenticate.ts'
import { createDialectSessions } from './plugins/credentials/dialect-sessions.ts'
import {
  createGoodCredentials,
  type GoodCredentials,
  rememberIssued,
} from './plugins/credentials/good-credentials.ts'
import { answerErrors, sendError } from './plugins/errors.ts'
import { limitHeaders, requireHost, setHeaders } from './plugins/headers.ts'
import { checkBody } from './plugins/media-type.ts'
import { createWorkspaceCheck } from './plugins/org-scope.ts'
import { createAddressLimit } from './plugins/rates/address-limit.ts'
import { createRateLimitCheck } from './plugins/rates/rate-limit.ts'
import { createTurnCheck } from './plugins/rates/user-turns.ts'
import type { GatewayPorts, ProcessPhase } from './ports.ts'
import { answerRepeats } from './repeats/hooks.ts'
import { serveAssets } from './routes/assets.ts'
import { serveConsole } from './routes/console.ts'
import { serveDocuments } from './routes/docs.ts'
import { serveDownloads } from './routes/downloads.ts'
import { serveEvents } from './routes/events.ts'
import { serveHealth, serveProbes } from './routes/health.ts'
import { serveRemovedOperations } from './routes/removed-operations.ts'
import { serveRequestStreams } from './routes/request-streams.ts'
import { serveAbout, serveLogo, serveServer } from './routes/server.ts'
import { serveSession } from './routes/session.ts'
import { resumable, serveUploads } from './routes/uploads.ts'
import { setProtocolHeaders } from './tus/headers.ts'

/** Builds the gateway as a Fastify instance that is not listening yet. Probes read `phase`. */
export async function buildGateway(
  inputPorts: GatewayPorts,
  phase: ProcessPhase,
  calls = new OpenCalls(),
): Promise<FastifyInstance> {
  const good = createGoodCredentials()
  const identity = rememberIssued(inputPorts.services.identity, good)
  const ports = { ...inputPorts, services: { ...inputPorts.services, identity } }
  const app = createServer(ports, calls)
  answerErrors(app, ports.log)
  await registerChecks(app, ports, { phase, calls, good })
  serveProbes(app, phase)
  serveLogo(app)
  await serveConsole(app)
  await app.register(async (api) => serveApi(api, ports, phase), { prefix: apiPrefix })
  return app
}

function createServer({ settings, log }: GatewayPorts, calls: OpenCalls): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: requestId,
    rewriteUrl: ({ url = '/' }) => withoutMount(url),
    trustProxy: (_address, hop) => hop < settings.trustedHops,
    bodyLimit: settings.maxBodyBytes,
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: 72_000, // above the 60 s of proxies in front
    forceCloseConnections: 'idle',
    return503OnClosing: false, // plugins/connections/pressure.ts responds instead
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 1024 },
    http: httpOptions(settings),
    clientErrorHandler: clientErrors(calls),
    frameworkErrors: (error, request, reply) => {
      chooseDialect(request, settings.dialectHosts)
      setCorsHeaders(request, reply, settings.corsOrigins)
      sendError(error, request, reply, log)
    },
  })
  registerMethods(app)
  app.decorateRequest('principal', null)
  app.decorateRequest('answerType', null)
  app.decorateRequest('dialect', null)
  app.decorateRequest('mount', '')
  app.decorateRequest('work', null)
  app.removeAllContentTypeParsers() // operations read their bodies: operations/read.ts
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload))
  return app
}

/** Returns options of the HTTP server. For whole requests Node uses the larger of both timeouts, so both are equal. */
const httpOptions = ({ requestTimeoutMs }: GatewaySettings) => ({
  requireHostHeader: false, // plugins/headers.ts checks it instead
  headersTimeout: requestTimeoutMs,
  connectionsCheckingInterval: Math.min(5000, requestTimeoutMs / 4),
})

/** Returns the id of a request; an id from the client is kept if it is harmless. */
function requestId({ headers }: IncomingMessage): string {
  const id = String(headers['x-request-id'])
  return headers['x-request-id'] && /^[\w-]{8,64}$/.test(id) ? id : randomUUID()
}

/** Registers the checks in the order of docs/spec/rest.md#errors: the first failing check determines the error. */
async function registerChecks(
  app: FastifyInstance,
  ports: GatewayPorts,
  { phase, calls, good }: { phase: ProcessPhase; calls: OpenCalls; good: GoodCredentials },
): Promise<void> {
  const { services, log, settings } = ports
  const { identity } = services
  const anonymous = createAddressLimit(settings.rateAnonymous)
  const trustedOrigins = settings.corsOrigins
  app.addHook('onRequest', (request, _reply, done) => {
    chooseDialect(request, settings.dialectHosts)
    done()
  })
  watchConnections(app, { calls, idleTimeoutMs: settings.idleTimeoutMs, log })
  watchRequests(app, calls)
  logRequests(app, log, calls)
  logRefusals(app, log)
  await allowOrigins(app, settings.corsOrigins)
  app.addHook('onRequest', (request, reply, done) => {
    setHeaders(request, reply)
    limitHeaders(request) // 431
    requireHost(request) // 400
    done()
  })
  setProtocolHeaders(app, resumable, settings)
  await refuseUnderPressure(app, settings.loopDelayMs) // 503
  checkInOrder(app, [
    // the router has already responded to calls without an operation: 404, or 405 with the methods of the path
    refuseWhenStopping(app, phase), // 503
    createAuthenticationCheck(app, { identity, anonymous, good, trustedOrigins }), // 401, 429; 403 to a forged request
    await createRateLimitCheck(app, settings, anonymous), // 429
    createTurnCheck(), // waits for earlier calls of the same user
    createWorkspaceCheck(services.organizations), // 400, 404
    checkAccept, // 406
    limitPageSize(settings.pageSizeMax),
    checkBody(settings), // 415, 413
    // then idempotency keys (400, 409): repeats/hooks.ts
    // then the route reads its input: JSON (400), params (404), schema (400); then permissions of the token (403)
  ])
  answerRepeats(app, ports)
  compressAnswers(app) // after the hook that stores answers of idempotent requests
}

function checkInOrder(app: FastifyInstance, checks: readonly RequestCheck[]): void {
  app.addHook('onRequest', async (request, reply) => {
    const { operation } = request.routeOptions.config
    if (!operation) return
    for (const check of checks) {
      const pending = check(request, reply, operation)
      if (pending) await pending // most checks complete synchronously, which saves a turn of the event loop
    }
  })
}

function serveApi(api: FastifyInstance, ports: GatewayPorts, phase: ProcessPhase): void {
  const { services, settings } = ports
  const options = {
    limits: settings,
    lookUpBusy: createBusyLookup(services),
    afterCall: createDialectSessions(services),
  }
  for (const [name, table] of Object.entries(tables)) {
    const [, service] = Object.entries(services).find(([key]) => key === name) ?? []
    if (!service) throw new Error(`no service implements the operations of ${name}`)
    serveOperations(api, table, service, options)
  }
  serveAbout(api)
  serveHealth(api, ports, phase)
  serveServer(api, ports)
  serveDocuments(api)
  serveDownloads(api, ports)
  serveEvents(api, ports)
  serveRequestStreams(api, ports, phase)
  serveUploads(api, ports)
  serveAssets(api, ports)
  serveSession(api, ports)
  serveRemovedOperations(api, ports)
  serveOtherMethods(api, restOperations)
}

/**
 * Limits the page size to the maximum, for both the service that reads the rows and the links to neighbouring pages.
 */
function limitPageSize(pageSizeMax: number): RequestCheck {
  return ({ query }) => {
    if (typeof query !== 'object' || query === null || !('page_size' in query)) return
    const { page_size } = query
    const isNumber = typeof page_size === 'string' && /^\d+$/.test(page_size)
    if (isNumber && Number(page_size) > pageSizeMax) query.page_size = String(pageSizeMax)
  }
}
