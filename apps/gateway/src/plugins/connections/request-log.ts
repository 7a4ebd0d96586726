import type { Logger } from '@reticle/kit/observe/log'
import { traceIdOf } from '@reticle/kit/observe/traces'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { OpenCalls } from './open-calls.ts'
import { isRefusal } from './refusal-log.ts'

/** Path of health checks, which monitoring calls every few seconds; logging them would hide other lines. */
const unlogged = '/server/health'

/** Logs one line for each call without any of its content, also for calls without a response. */
export function logRequests(app: FastifyInstance, log: Logger, calls: OpenCalls): void {
  app.addHook('onResponse', (request, reply, done) => {
    if (!reply.raw.writableFinished) return done()
    const { operation } = request.routeOptions.config
    const line = {
      request_id: request.id,
      ...fieldsOf(request),
      status: reply.statusCode,
      ms: roundMs(reply.elapsedTime),
    }
    const isQuiet = !operation || operation.path === unlogged || isRefusal(request, reply)
    if (isQuiet) log.debug(line, 'request')
    else log.info(line, 'request')
    done()
  })
  calls.onAborted(({ request_id, request, status, cause, answer_status, ms }) => {
    const line = {
      request_id,
      ...fieldsOf(request),
      status,
      cause,
      ...(answer_status && { answer_status }),
      ms: roundMs(ms),
    }
    log.info(line, 'request')
  })
}

function fieldsOf(request: FastifyRequest | undefined) {
  const trace_id = traceIdOf(request?.work?.traceparent)
  return {
    ...(trace_id && { trace_id }),
    user_id: request?.principal?.user_id ?? null,
    operation: request?.routeOptions.config.operation?.name ?? null,
  }
}

const roundMs = (ms: number) => Math.round(ms * 10) / 10
