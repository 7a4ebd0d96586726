import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Check that throws if a need is not met. */
export type NeedCheck = () => Promise<void>

export interface Probes {
  port: number
  /** Adds a need without which the process is not ready. */
  needs: (name: string, check: NeedCheck) => void
  /** Adds a condition whose failure only a restart repairs. */
  livesBy: (name: string, isAlive: () => boolean) => void
  /** Returns the names of the needs that are not met. */
  unmet: () => Promise<readonly string[]>
  /** Marks the process as started: `/startupz` and, while every need is met, `/readyz` answer 200. */
  setReady: (isReady: boolean) => void
  stop: () => Promise<void>
}

export interface ProbeServerOptions {
  host: string
  /** Port; 0 selects a free one. */
  port: number
  /** Returns the text of `/metrics`. */
  metrics: () => Promise<string>
}

const checkMs = 2000

/**
 * Opens the probes of a process on a separate port: `/healthz` for liveness, `/readyz` for readiness, `/startupz` for
 * the end of the start, and `/metrics` in the text format of Prometheus. See docs/spec/reliability.md#kubernetes.
 */
export async function openProbes({ host, port, metrics }: ProbeServerOptions): Promise<Probes> {
  const checks = new Map<string, NeedCheck>()
  const pulses = new Map<string, () => boolean>()
  let isReady = false
  let hasStarted = false

  const dead = () => [...pulses].filter(([, isAlive]) => !isAlive()).map(([name]) => name)
  const unmet = async () => {
    const failures = await Promise.all([...checks].map(([name, check]) => failure(name, check)))
    return failures.filter((name) => name !== undefined)
  }
  const answers: Record<string, (response: ServerResponse) => Promise<void> | void> = {
    '/healthz': (response) => respond(response, dead()),
    '/readyz': async (response) => respond(response, isReady ? await unmet() : ['not ready']),
    '/startupz': (response) => respond(response, hasStarted ? [] : ['starting']),
    '/metrics': async (response) => {
      response.setHeader('content-type', 'text/plain; version=0.0.4; charset=utf-8')
      response.end(await metrics())
    },
  }
  const server = createServer((request, response) => {
    const answer = answers[new URL(request.url ?? '/', 'http://probe').pathname]
    if (request.method !== 'GET' || !answer) response.writeHead(404).end()
    else Promise.resolve(answer(response)).catch(() => response.writeHead(500).end())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    needs: (name, check) => checks.set(name, check),
    livesBy: (name, isAlive) => pulses.set(name, isAlive),
    unmet,
    setReady: (next) => {
      isReady = next
      hasStarted ||= next
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Responds with 200, or with 503 and the names of the failures. */
function respond(response: ServerResponse, problems: readonly string[]): void {
  response.statusCode = problems.length === 0 ? 200 : 503
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  response.end(problems.length === 0 ? 'ok\n' : `${problems.join('\n')}\n`)
}

async function failure(name: string, check: NeedCheck): Promise<string | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('late')), checkMs)
  })
  try {
    await Promise.race([check(), late])
    return undefined
  } catch {
    return name
  } finally {
    clearTimeout(timer)
  }
}
