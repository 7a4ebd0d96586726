import { tables } from '@reticle/contracts'
import { healthQuery } from '@reticle/contracts/rest/server'
import { DomainError, forbidden, unauthenticated } from '@reticle/kit'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { createInputReader } from '../operations/read.ts'
import { pathOf } from '../operations/serve.ts'
import type { GatewayPorts, HealthChecks, ProcessPhase } from '../ports.ts'
import { sendJson } from '../responses/present.ts'

const works = 'working'
const answersWithinMs = 5000

/** Serves probes at the root of the host; they depend only on this process. */
export function serveProbes(app: FastifyInstance, phase: ProcessPhase): void {
  const probe = (path: string, isWell: () => boolean) =>
    app.get(path, (request, reply) => {
      request.answerType = 'application/json'
      return sendHealth(request, reply, isWell(), { status: isWell() ? works : phase.now })
    })
  probe('/healthz', () => true)
  probe('/readyz', () => phase.now === 'ready')
  probe('/startupz', () => phase.now !== 'starting')
}

/** Serves `GET /server/health`: the state of each part; 503 when a part fails, and during start and stop. */
export function serveHealth(
  api: FastifyInstance,
  { checks, settings }: Pick<GatewayPorts, 'checks' | 'settings'>,
  phase: ProcessPhase,
): void {
  const operation = tables.server.getHealth
  const read = createInputReader(operation, settings)
  const config = { operation, ignoresAccept: true }
  api.get(pathOf(operation), { config }, async (request, reply) => {
    const { details } = healthQuery.parse(await read(request))
    if (details) allowDetails(request)
    const found = await runChecks({ ...checks, ...ownPhase(phase) })
    const isWell = found.every(({ failure }) => failure === undefined)
    const shown = found.map((one) => [one.name, details ? describeResult(one) : textOf(one)])
    return sendHealth(request, reply, isWell, Object.fromEntries(shown))
  })
}

/**
 * Permits details only to administrators.
 * @throws DomainError
 */
function allowDetails({ principal }: FastifyRequest): void {
  if (!principal) throw unauthenticated()
  if (principal.role !== 'admin') throw forbidden()
}

/** Adds this process as a part unless it is ready. */
function ownPhase({ now }: ProcessPhase): HealthChecks {
  if (now === 'ready') return {}
  return {
    Server: async () => {
      throw new DomainError('unavailable', now)
    },
  }
}

interface CheckResult {
  name: string
  took_ms: number
  failure?: Error
}

function runChecks(checks: HealthChecks): Promise<CheckResult[]> {
  return Promise.all(
    Object.entries(checks).map(async ([name, check]) => {
      const begun = performance.now()
      const failure = await runCheck(check)
      return { name, took_ms: Math.round(performance.now() - begun), failure }
    }),
  )
}

/** Returns the public text of a result. Only messages intended for callers are shown, because the route is public. */
function textOf({ failure }: CheckResult): string {
  if (failure instanceof DomainError) return failure.message
  return failure === undefined ? works : 'not working'
}

const longestReason = 500

function describeResult({ took_ms, failure }: CheckResult) {
  const reason = failure?.message.split('\n', 1)[0]?.slice(0, longestReason) ?? null
  return { status: failure ? 'failing' : works, took_ms, reason }
}

function sendHealth(request: FastifyRequest, reply: FastifyReply, isWell: boolean, body: unknown) {
  reply.code(isWell ? 200 : 503).headers({ 'cache-control': 'no-store' })
  return sendJson(request, reply, body)
}

/** Runs a check; returns undefined for a working part. */
async function runCheck(check: () => Promise<void>): Promise<Error | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const seconds = answersWithinMs / 1000
    const error = new DomainError('unavailable', `no answer within ${seconds} seconds`)
    timer = setTimeout(() => reject(error), answersWithinMs)
  })
  try {
    await Promise.race([check(), late])
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown : new Error(String(thrown))
  } finally {
    clearTimeout(timer)
  }
}
