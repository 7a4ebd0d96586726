import { parseAnswerJson } from '../responses/json.ts'
import { type EncodedBody, writeBody } from './body.ts'
import type { CallOptions } from './options.ts'
import { randomId } from './random.ts'
import type { Row } from './row.ts'
import { type SentRequest, sendRequest } from './send.ts'
import type { ClientSettings } from './settings.ts'

/** Operation by name. A call converts its input to a request and its response to a result. */

export interface NamedOperation {
  name: string
  row: Row
}
export type CallInput = Readonly<Record<string, unknown>>

/** Sends a call and passes the response to `read`. @throws as `sendRequest` */
export function callWithReader<A>(
  settings: ClientSettings,
  { name, row }: NamedOperation,
  input: CallInput = {},
  options: CallOptions = {},
  read: (answer: Response) => Promise<A>,
): Promise<A> {
  const written = writeBody(row, input.body)
  const { signal, retries } = options
  const sent: SentRequest = {
    operation: name,
    method: row.method,
    path: pathWith(name, row, input),
    headers: { ...headersOf(row, input, written), ...optional(row, options) },
    body: written?.body,
    isRepeatable: (written?.isRepeatable ?? true) && isSafe(row, input),
    ...(row.answer === 'redirect' && { redirect: 'manual' }),
    signal,
    retries,
  }
  return sendRequest(settings, sent, read)
}

/** Sends a call and returns its result. @throws as `sendRequest` */
export function callOperation(
  settings: ClientSettings,
  named: NamedOperation,
  input?: CallInput,
  options?: CallOptions,
): Promise<unknown> {
  return callWithReader(settings, named, input, options, (answer) => readAnswer(named, answer))
}

/** Reads, and writes with the same result when repeated. A PATCH can add to lists, so it is not safe. */
function isSafe({ method, takes_key }: Row, input: CallInput): boolean {
  if (takes_key || method === 'GET' || method === 'DELETE') return true
  return method === 'PUT' && input.if_match === undefined
}

/** @throws TypeError for a missing parameter */
function pathWith(name: string, { path, headers = [] }: Row, input: CallInput): string {
  const used = new Set(['body', ...headers])
  const filled = path.replace(/:(\w+)/g, (_, param: string) => {
    const value = input[param]
    if (value === undefined || value === null || value === '')
      throw new TypeError(`${name} needs ${param}.`)
    used.add(param)
    return encodeURIComponent(String(value))
  })
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(input))
    if (!used.has(key) && value !== undefined && value !== null) query.set(key, textOf(value))
  return query.size > 0 ? `${filled}?${query}` : filled
}

const textOf = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value)

function headersOf(
  { headers = [] }: Row,
  input: CallInput,
  written: EncodedBody | undefined,
): Record<string, string> {
  const given = headers.flatMap((key) => {
    const value = input[key]
    return value === undefined ? [] : [[key.replaceAll('_', '-'), String(value)]]
  })
  return { ...Object.fromEntries(given), ...(written?.type && { 'content-type': written.type }) }
}

/** A generated idempotency key identifies all attempts of a call to the service. */
function optional({ takes_key }: Row, options: CallOptions): Record<string, string> {
  const { organization, headers, idempotency_key = takes_key ? randomId() : undefined } = options
  return {
    ...(organization !== undefined && { 'x-organization': organization }),
    ...(takes_key && idempotency_key !== undefined && { 'idempotency-key': idempotency_key }),
    ...headers,
  }
}

async function readAnswer({ name, row }: NamedOperation, answer: Response): Promise<unknown> {
  if (row.answer === 'bytes' || row.answer === 'redirect') return answer
  const text = await answer.text()
  return row.answer === 'nothing' || text === '' ? undefined : parseAnswerJson(name, answer, text)
}
