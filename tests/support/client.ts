import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'

/** A parsed JSON body. Tests read only the fields that they assert. */
// biome-ignore lint/suspicious/noExplicitAny: tests read JSON bodies without types
export type AnyJson = any

export interface ApiResponse {
  status: number
  headers: Headers
  body: AnyJson
  text: string
}

export interface ApiRequestInit {
  json?: unknown
  form?: FormData
  /** Body that is sent unchanged. */
  raw?: string | Uint8Array
  headers?: Record<string, string>
}

const finalStatuses = ['finished', 'failed']
const patienceMs = 120_000

/** A client of the REST API: any call, and waiting for requests. */
export type ApiClient = ReturnType<typeof createApiClient>

export function createApiClient(api: string, authorization?: string) {
  async function call(
    method: string,
    path: string,
    sent: ApiRequestInit = {},
  ): Promise<ApiResponse> {
    const { json, form, raw, headers } = sent
    const isJson = json !== undefined || raw !== undefined
    const answer = await fetch(path.startsWith('http') ? path : `${api}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(authorization && { authorization }),
        ...(isJson && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: form ?? raw ?? (json === undefined ? undefined : JSON.stringify(json)),
    })
    const text = await textOf(answer)
    return { status: answer.status, headers: answer.headers, text, body: parsed(text) }
  }

  /** Makes a call that must return 2xx, and returns its body. */
  async function done(method: string, path: string, sent?: ApiRequestInit): Promise<AnyJson> {
    const answer = await call(method, path, sent)
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body
  }

  /** Waits until a request is finished or failed; returns its record. */
  async function ended(rqId: string): Promise<AnyJson> {
    for (const until = Date.now() + patienceMs; Date.now() < until; ) {
      const request = await done('GET', `/requests/${encodeURIComponent(rqId)}?wait=10`)
      if (finalStatuses.includes(request.status)) return request
    }
    throw new Error(`the request ${rqId} did not end`)
  }

  async function finished(started: unknown): Promise<AnyJson> {
    const request = await ended(rqIdOf(started))
    if (request.status === 'failed') throw new Error(`${request.id}: ${request.message}`)
    return request
  }

  async function bytes(url: string, headers: Record<string, string> = {}) {
    const answer = await fetch(url.startsWith('http') ? url : `${api}${url}`, {
      headers: { ...(authorization && { authorization }), ...headers },
    })
    return {
      status: answer.status,
      headers: answer.headers,
      bytes: Buffer.from(await answer.arrayBuffer()),
    }
  }

  return { api, call, done, ended, finished, bytes }
}

export const rqIdOf = (started: unknown) => z.object({ rq_id: z.string() }).parse(started).rq_id

const silenceMs = 500

/** Reads the whole body; of an event stream, which may not end, only the part before the first pause. */
async function textOf(answer: Response): Promise<string> {
  const isStream = answer.headers.get('content-type')?.startsWith('text/event-stream')
  if (!isStream || !answer.body) return answer.text()
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const piece = await Promise.race([reader.read(), sleep(silenceMs)])
    if (!piece || piece.done) break
    text += piece.value
  }
  await reader.cancel()
  return text
}

function parsed(text: string): AnyJson {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
