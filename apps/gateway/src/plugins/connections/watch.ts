import { counter, createTotals, histogram } from '@reticle/kit/observe/registry'
import { readTraceparent, startWork } from '@reticle/kit/observe/traces'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { OpenCalls } from './open-calls.ts'

/** Labelled by route and class of status (`2xx`), so that `/metrics` stays below 2,000 series. */
export const rowSeconds = createTotals({
  name: 'reticle_http_request_duration_seconds',
  help: 'Time from the headers of a request to the end of its response, by operation',
  labelNames: ['route', 'method', 'status'],
})

/** Over all routes, where histogram buckets are affordable. */
const answerSeconds = histogram({
  name: 'reticle_http_answer_seconds',
  help: 'Time from the headers of a request to the end of its response',
  labelNames: ['status'],
  buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
})

/** Calls that no other instrument counts, because they did not end with the response of their route. */
const abortedCalls = counter({
  name: 'reticle_http_aborted_calls_total',
  help: 'Calls that did not end with the response of their route, by cause',
  labelNames: ['cause'],
})

/**
 * Measures calls, and creates spans for those with a route: in the trace that the client sent, or else in a new one.
 */
export function watchRequests(app: FastifyInstance, calls: OpenCalls): void {
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
    if (!reply.raw.writableFinished) return done()
    const { statusCode } = reply
    const status = classOf(statusCode)
    const seconds = reply.elapsedTime / 1000
    rowSeconds.observe({ ...routeLabelsOf(request), status }, seconds)
    answerSeconds.observe({ status }, seconds)
    request.work?.note({ 'http.response.status_code': statusCode })
    request.work?.end(statusCode < 500 ? undefined : new Error(String(statusCode)))
    done()
  })
  calls.onAborted(({ request, status, cause }) => {
    abortedCalls.inc({ cause })
    request?.work?.note({ 'http.response.status_code': status, 'reticle.cause': cause })
    request?.work?.end(new Error(cause))
  })
}

/**
 * Returns the labels of a call. Calls without a route (404, 405, probes) share one, because clients choose their
 * paths and methods; removed routes share it as well.
 */
function routeLabelsOf({ routeOptions }: FastifyRequest) {
  const { operation } = routeOptions.config
  if (!operation || operation.gone) return { route: 'other', method: 'other' }
  return { route: operation.path, method: operation.method ?? 'other' }
}

const classOf = (status: number) => `${Math.floor(status / 100)}xx`
