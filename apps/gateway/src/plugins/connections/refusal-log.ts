import { networkOf } from '@reticle/kit/net/network'
import type { Logger } from '@reticle/kit/observe/log'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

const minute = 60_000

/** Maximum number of networks with a separate line per minute; further ones share one line. */
const room = 1000
const others = 'others'

/** Returns whether a call failed without a valid credential, or reached a limit before authentication. */
export function isRefusal({ principal }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return principal === null && (statusCode === 401 || statusCode === 429)
}

/**
 * Logs one line per minute and network about refused calls (`unauthenticated`: 401, `throttled`: 429), because a line
 * for each would let a client fill the log. Individual calls are logged with the level `debug`.
 */
export function logRefusals(app: FastifyInstance, log: Logger): void {
  const counts = new Map<string, { unauthenticated: number; throttled: number }>()

  const report = () => {
    for (const [address, count] of counts) log.warn({ address, ...count }, 'credentials refused')
    counts.clear()
  }
  const timer = setInterval(report, minute)
  timer.unref()

  app.addHook('onResponse', (request, reply, done) => {
    if (isRefusal(request, reply)) {
      const network = networkOf(request.ip)
      const address = counts.has(network) || counts.size < room ? network : others
      const count = counts.get(address) ?? { unauthenticated: 0, throttled: 0 }
      counts.set(address, count)
      count[reply.statusCode === 401 ? 'unauthenticated' : 'throttled']++
    }
    done()
  })
  app.addHook('onClose', async () => {
    clearInterval(timer)
    report()
  })
}
