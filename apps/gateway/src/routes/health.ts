import { tables } from '@reticle/contracts'
import { DomainError } from '@reticle/kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HealthChecks, Phase } from '../ports.ts'
import { sendJson } from '../present.ts'
import { pathOf } from '../serve.ts'

const works = 'working'
const answersWithinMs = 5000

/** Probes at the root of the host (`spec/api-workspace.md` 1.10): they depend on this process alone. */
export function serveProbes(app: FastifyInstance, phase: Phase): void {
  const probe = (path: string, isWell: () => boolean) =>
    app.get(path, (request, reply) => {
      request.answerType = 'application/json'
      return send(request, reply, isWell(), { status: isWell() ? works : phase.now })
    })
  probe('/healthz', () => true)
  probe('/readyz', () => phase.now === 'ready')
  probe('/startupz', () => phase.now !== 'starting')
}

/** `GET /server/health`: which parts work; 503 when one does not, and while starting or stopping. */
export function serveHealth(api: FastifyInstance, checks: HealthChecks, phase: Phase): void {
  const operation = tables.server.getHealth
  const config = { operation, ignoresAccept: true }
  api.get(pathOf(operation), { config }, async (request, reply) => {
    const found = await Promise.all(
      Object.entries(checks).map(async ([name, check]) => [name, await outcome(check)] as const),
    )
    const isWell = phase.now === 'ready' && found.every(([, text]) => text === works)
    const own = phase.now === 'ready' ? [] : [['Server', phase.now]]
    return send(request, reply, isWell, Object.fromEntries([...found, ...own]))
  })
}

function send(request: FastifyRequest, reply: FastifyReply, isWell: boolean, body: unknown) {
  reply.code(isWell ? 200 : 503).headers({ 'cache-control': 'no-store' })
  return sendJson(request, reply, body)
}

/** Only texts that are meant for callers are shown: anybody may read this. */
async function outcome(check: () => Promise<void>): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const seconds = answersWithinMs / 1000
    const error = new DomainError('unavailable', `no answer within ${seconds} seconds`)
    timer = setTimeout(() => reject(error), answersWithinMs)
  })
  try {
    await Promise.race([check(), late])
    return works
  } catch (thrown) {
    return thrown instanceof DomainError ? thrown.message : 'not working'
  } finally {
    clearTimeout(timer)
  }
}
