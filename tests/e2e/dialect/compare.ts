import { setTimeout as sleep } from 'node:timers/promises'
import type { AnyJson } from '../../support/client.ts'
import { basic } from '../../support/reticle.ts'

/** One call on the native API and on the CVAT-compatible mount. */

export interface DialectCall {
  method: string
  path: string
  json?: AnyJson
  headers?: Record<string, string>
  /** The answer is endless, so only its beginning is read. */
  isEndless?: boolean
}

export interface DialectResponse {
  status: number
  type: string
  /** Headers that belong to the answer. */
  headers: Record<string, string>
  body: AnyJson
}

const answerHeaders = [
  ...['etag', 'location', 'link', 'allow', 'deprecation', 'content-disposition', 'accept-ranges'],
  ...['x-error-code', 'x-checksum', 'cache-control', 'upload-filename', 'upload-offset'],
]

/** Calls as the administrator, and replaces the base URL in the answer by `api`. */
export async function fetchResponse(api: string, call: DialectCall): Promise<DialectResponse> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetchOnce(api, call)
    if (response.status !== 503 || attempt === mostAttempts) return response
    await sleep(1000) // the machine is busy with other tests
  }
}

const mostAttempts = 20

async function fetchOnce(api: string, call: DialectCall): Promise<DialectResponse> {
  const { method, path, json, headers, isEndless } = call
  const abort = new AbortController()
  const answer = await fetch(api + path, {
    method,
    redirect: 'manual',
    signal: abort.signal,
    headers: {
      authorization: basic,
      ...(json !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: json === undefined ? null : JSON.stringify(json),
  })
  const bytes = isEndless ? await beginning(answer) : Buffer.from(await answer.arrayBuffer())
  if (isEndless) abort.abort()
  const type = answer.headers.get('content-type') ?? ''
  const text = bytes.toString('latin1').replaceAll(api, 'api')
  const shown = answerHeaders.flatMap((name) => {
    const value = answer.headers.get(name)?.replaceAll(api, 'api')
    return value === undefined ? [] : [[name, value] as const]
  })
  const body = type.includes('json') && text !== '' ? JSON.parse(text) : text
  if (isObject(body)) delete body.request_id
  return { status: answer.status, type, headers: Object.fromEntries(shown), body }
}

/** Reads up to the first empty line. */
async function beginning({ body }: Response): Promise<Buffer> {
  const reader = body?.getReader()
  let text = ''
  while (!text.includes('\n\n')) {
    const read = await reader?.read()
    if (!read?.value) break
    text += Buffer.from(read.value).toString('latin1')
  }
  return Buffer.from(text.split('\n\n', 1)[0] ?? '', 'latin1')
}

/**
 * Returns the paths at which two values differ, such as `results[].labels`, each once; `text` stands for the whole
 * value.
 */
export function listDifferences(one: AnyJson, other: AnyJson, path = 'text'): string[] {
  if (Object.is(one, other)) return []
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one.length !== other.length) return [path]
    return distinct(one.flatMap((item, index) => listDifferences(item, other[index], `${path}[]`)))
  }
  if (!isObject(one) || !isObject(other)) return [path]
  const keys = distinct([...Object.keys(one), ...Object.keys(other)])
  const found = keys.flatMap((key) => listDifferences(one[key], other[key], inside(path, key)))
  return distinct(found).sort()
}

const distinct = (names: string[]) => [...new Set(names)]
const inside = (path: string, key: string) => (path === 'text' ? key : `${path}.${key}`)
const isObject = (given: AnyJson) =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

/** Removes ids, dates and secrets, in which two objects created alike differ. */
export function withoutOwn(given: AnyJson, key = ''): AnyJson {
  if (Array.isArray(given)) return given.map((item) => withoutOwn(item, key))
  if (isObject(given)) {
    const entries = Object.entries(given).map(([name, value]) => [name, withoutOwn(value, name)])
    return Object.fromEntries(entries)
  }
  if (given === null) return given
  if (
    /^(?:id|.+_id|(?!expiry_)\w+_date|job|issue|value|key|uuid|request_duration|sequence|slug)$/.test(
      key,
    )
  )
    return typeof given
  return typeof given === 'string' ? given.replace(/x[\da-f]{8}|\d+/g, '#') : given
}
