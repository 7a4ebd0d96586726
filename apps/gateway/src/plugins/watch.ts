import { histogram } from '@reticle/kit/observe/registry'
import { readTraceparent, startWork } from '@reticle/kit/observe/traces'
import type { FastifyInstance, FastifyRequest } from 'fastify'

/**
 * By row of the table and class of status (`2xx`). Three buckets: every bound is two series a row, and there are to be 2,000
 * on the whole page (`reliability.md` 16.2).
 */
export const httpSeconds = histogram({
  name: 'reticle_http_request_duration_seconds',
  help: 'Time from the headers of a request to the end of its answer',
  labelNames: ['route', 'method', 'status'],
  buckets: [0.25, 2.5],
})

/** Measures requests, and makes those that have a row spans: of the client's trace where it says one, else of a new one. */
export function watchRequests(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { operation } = request.routeOptions.config
    if (!operation) return done()
    const traceparent = readTraceparent(request.headers.traceparent)
    const attributes = { 'http.request.method': request.method, 'reticle.request_id': request.id }
    const name = `${operation.method} ${operation.path}`
    request.work = startWork(name, { kind: 'server', service: 'gateway', traceparent, attributes })
    request.work.within(done)
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode } = reply
    httpSeconds.observe(
      { ...placeOf(request), status: classOf(statusCode) },
      reply.elapsedTime / 1000,
    )
    request.work?.note({ 'http.response.status_code': statusCode })
    request.work?.end(statusCode < 500 ? undefined : new Error(String(statusCode)))
    done()
  })
}

/** What has no row (404, 405, probes) is one place: its paths and methods are the client's choice. So is what is gone. */
function placeOf({ routeOptions }: FastifyRequest) {
  const { operation } = routeOptions.config
  if (!operation || operation.gone) return { route: 'other', method: 'other' }
  return { route: operation.path, method: operation.method ?? 'other' }
}

const classOf = (status: number) => `${Math.floor(status / 100)}xx`
