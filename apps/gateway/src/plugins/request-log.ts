import type { Logger } from '@reticle/kit/log'
import { traceIdOf } from '@reticle/kit/observe/traces'
import type { FastifyInstance } from 'fastify'
import { isRefusal } from './refusal-log.ts'

/** Asked every few seconds by whoever watches; a line each would hide the others. */
const unlogged = '/server/health'

/** One line a request, without anything of its content (`reliability.md` 16.2). */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const { operation } = request.routeOptions.config
    const trace_id = traceIdOf(request.work?.traceparent)
    const line = {
      request_id: request.id,
      ...(trace_id && { trace_id }),
      user_id: request.principal?.user_id ?? null,
      operation: operation?.name ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    }
    const isQuiet = !operation || operation.path === unlogged || isRefusal(request, reply)
    if (isQuiet) log.debug(line, 'request')
    else log.info(line, 'request')
    done()
  })
}
