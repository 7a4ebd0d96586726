import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ApiClient,
  type ApiResponse,
  createApiClient,
  rqIdOf,
} from '@reticle/tests/support/client'
import type { DayCaller } from './day-caller.ts'
import { type DayLedger, incrementCount, kindOf } from './ledger.ts'

interface Identity {
  username: string
  authorization: string
  /** Short name of their organization. */
  organization: string
}

const callMs = 60_000
const patienceMs = 300_000
const restMs = 250
const mostStarts = 6

/** Valid messages of a request whose worker, or a service it needs, was killed three times. */
const interrupted = /^(The worker stopped unexpectedly|.*unavailable|.*(?:away|timeout|timed out))/i

/**
 * Creates a caller with credentials.
 *
 * @param urls of gateways, used in turn
 */
export function openCaller(
  { username, authorization, organization }: Identity,
  urls: () => readonly string[],
  ledger: DayLedger,
): DayCaller {
  let turn = 0
  const next = (): ApiClient => {
    const all = urls()
    return createApiClient(`${all[turn++ % all.length]}/api`, authorization)
  }
  const send: DayCaller['send'] = async (method, path, sent = {}) => {
    const workspace = { 'x-organization': organization }
    const headers = { 'idempotency-key': randomUUID(), ...workspace, ...sent.headers }
    const until = Date.now() + patienceMs
    for (let attempts = 1; ; attempts++) {
      const answer = await inTime(next().call(method, path, { ...sent, headers }))
      ledger.calls++
      if (answer && !isRefusal(answer)) return { ...answer, attempts }
      ledger.refusals++
      if (Date.now() > until) throw new Error(`${method} ${path}: no answer for ${patienceMs} ms`)
      await sleep(restMs)
    }
  }
  const done: DayCaller['done'] = async (method, path, sent) => {
    const answer = await send(method, path, sent)
    const isGone = method === 'DELETE' && answer.status === 404 && answer.attempts > 1
    if (answer.status < 300 || isGone) return answer.body
    throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 300)}`)
  }
  const ended: DayCaller['ended'] = async (rqId) => {
    for (const until = Date.now() + patienceMs; Date.now() < until; ) {
      const request = await done('GET', `/requests/${encodeURIComponent(rqId)}?wait=10`)
      if (['finished', 'failed'].includes(request.status)) return request
    }
    throw new Error(`the request ${rqId} did not end within ${patienceMs / 1000} s`)
  }
  const work: DayCaller['work'] = async (path, sent) => {
    for (let starts = 1; ; starts++) {
      const request = await ended(rqIdOf(await done('POST', path, sent)))
      if (request.status === 'finished') {
        ledger.finished++
        return request
      }
      const isPassing = interrupted.test(request.message) && starts < mostStarts
      if (!isPassing) throw new Error(`POST ${path}: failed: ${request.message}`)
      incrementCount(ledger.interrupted, kindOf(request.message))
    }
  }
  const bytes: DayCaller['bytes'] = async (url) => {
    for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(restMs)) {
      const answer = await inTime(next().bytes(url))
      ledger.calls++
      if (answer?.status === 200) return answer.bytes
      if (answer && answer.status !== 503) throw new Error(`GET ${url}: ${answer.status}`)
      ledger.refusals++
    }
    throw new Error(`GET ${url}: no answer`)
  }
  return { username, send, done, work, ended, bytes }
}

/** Returns undefined if the connection was cut or no answer arrived in time. */
async function inTime<T>(calling: Promise<T>): Promise<T | undefined> {
  const late = new AbortController()
  const limit = sleep(callMs, undefined, { signal: late.signal }).catch(() => undefined)
  try {
    return await Promise.race([calling.catch(() => undefined), limit])
  } finally {
    late.abort()
  }
}

/** Whether the answer reports a temporary failure. */
const isRefusal = ({ status, headers }: ApiResponse) =>
  status === 503 || status === 429 || headers.has('retry-after')
