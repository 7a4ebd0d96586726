import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import { unavailable } from '@reticle/kit'
import type { FastifyInstance } from 'fastify'
import type { Phase } from '../ports.ts'
import type { Check } from '../request.ts'

const retryAfter = 5 // seconds

/** Refuses calls while the process cannot keep up (`reliability.md` 8); probes and health are answered all the same. */
export async function refuseUnderPressure(app: FastifyInstance): Promise<void> {
  await app.register(underPressure, {
    maxEventLoopDelay: 1000,
    maxEventLoopUtilization: 0.98,
    maxHeapUsedBytes: getHeapStatistics().heap_size_limit * 0.8,
    pressureHandler: async ({ routeOptions: { config } }) => {
      const isExempt = !config.operation || config.operation.limit === 'none'
      if (!isExempt) throw unavailable('The server is busy. Please try again.', retryAfter)
    },
  })
}

/** Refuses calls on connections that are still open while the process stops. */
export function refuseWhenStopping(phase: Phase): Check {
  return (_request, reply, { limit }) => {
    if (phase.now !== 'stopping' || limit === 'none') return
    reply.header('connection', 'close')
    throw unavailable('The server is stopping.', retryAfter)
  }
}
