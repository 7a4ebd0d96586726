import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import { unavailable } from '@reticle/kit'
import type { FastifyInstance } from 'fastify'
import type { Phase } from '../ports.ts'
import type { Check } from '../request.ts'

const retryAfter = 5 // seconds
const sampleMs = 1000

/**
 * Refuses calls while the process cannot keep up (`reliability.md` 8); probes and health are answered all the same. How much
 * the event loop is used says nothing of that: a young or a well-loaded one is always used and answers in time. Neither does
 * what delayed it before it was ready: samples that reach back to the start are left out.
 */
export async function refuseUnderPressure(
  app: FastifyInstance,
  loopDelayMs: number,
): Promise<void> {
  let judgedFrom = Number.POSITIVE_INFINITY
  app.addHook('onReady', async () => {
    judgedFrom = performance.now() + 2 * sampleMs
  })
  await app.register(underPressure, {
    sampleInterval: sampleMs,
    maxEventLoopDelay: loopDelayMs,
    maxHeapUsedBytes: getHeapStatistics().heap_size_limit * 0.8,
    pressureHandler: async ({ routeOptions: { config } }) => {
      const isExempt = !config.operation || config.operation.limit === 'none'
      if (!isExempt && performance.now() >= judgedFrom)
        throw unavailable('The server is busy. Please try again.', retryAfter)
    },
  })
}

/**
 * A process that is about to go ends connections with the answers they carry; while it stops, calls that still come are
 * refused.
 */
export function refuseWhenStopping(app: FastifyInstance, phase: Phase): Check {
  app.addHook('onResponse', (_request, _reply, done) => {
    if (phase.now === 'stopping') setImmediate(() => app.server.closeIdleConnections())
    done()
  })
  return (_request, reply, { limit }) => {
    if (phase.now === 'ready') return
    reply.header('connection', 'close')
    if (phase.now === 'stopping' && limit !== 'none')
      throw unavailable('The server is stopping.', retryAfter)
  }
}
