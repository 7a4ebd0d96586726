import type { Logger } from '@reticle/kit/log'
import { traceIdOf } from '@reticle/kit/observe/traces'
import type { FastifyInstance } from 'fastify'

/** One line a request, without anything of its content (`reliability.md` 16.2). */
export function logRequests(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    const trace_id = traceIdOf(request.work?.traceparent)
    const line = {
      request_id: request.id,
      ...(trace_id && { trace_id }),
      user_id: request.principal?.user_id ?? null,
      operation: request.routeOptions.config.operation?.name ?? null,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    }
    if (line.operation === null) log.debug(line, 'request')
    else log.info(line, 'request')
    done()
  })
}
