import { getHeapStatistics } from 'node:v8'
import underPressure, { TYPE_EVENT_LOOP_DELAY } from '@fastify/under-pressure'
import { unavailable } from '@reticle/kit'
import type { FastifyInstance } from 'fastify'
import type { RequestCheck } from '../../call/request.ts'
import type { ProcessPhase } from '../../ports.ts'

const retryAfter = 5 // seconds
const sampleMs = 1000
/**
 * Number of consecutive late samples to tolerate. A single long stretch of work makes one sample late, and is over
 * when the next call arrives.
 */
const mostLateSamples = 2

/**
 * Refuses calls while the process is overloaded: the event loop has been late for several seconds in a row, or the
 * heap is nearly full. Probes and health are always served. Event loop utilization does not matter, because a busy
 * loop can still respond in time. Samples from the start of the process are ignored.
 */
export async function refuseUnderPressure(
  app: FastifyInstance,
  loopDelayMs: number,
): Promise<void> {
  let judgedFrom = Number.POSITIVE_INFINITY
  let lateSamples = 0
  app.addHook('onReady', async () => {
    judgedFrom = performance.now() + 2 * sampleMs
  })
  const counting = setInterval(() => {
    const isLate = app.memoryUsage().eventLoopDelay > loopDelayMs
    lateSamples = isLate ? lateSamples + 1 : 0
  }, sampleMs).unref()
  app.addHook('onClose', async () => clearInterval(counting))
  await app.register(underPressure, {
    sampleInterval: sampleMs,
    maxEventLoopDelay: loopDelayMs,
    maxHeapUsedBytes: getHeapStatistics().heap_size_limit * 0.8,
    pressureHandler: async ({ routeOptions: { config } }, _reply, type) => {
      if (type === TYPE_EVENT_LOOP_DELAY && lateSamples <= mostLateSamples) return
      const isExempt = !config.operation || config.operation.limit === 'none'
      if (!isExempt && performance.now() >= judgedFrom)
        throw unavailable('The server is busy. Please try again.', retryAfter)
    },
  })
}

/**
 * Closes each connection after its response when the process is about to stop, and refuses new calls while it stops.
 */
export function refuseWhenStopping(app: FastifyInstance, phase: ProcessPhase): RequestCheck {
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
