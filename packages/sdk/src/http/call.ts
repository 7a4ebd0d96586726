import { type Written, writeBody } from './body.ts'
import { parsed } from './json.ts'
import type { CallOptions } from './options.ts'
import { randomId } from './random.ts'
import type { Row } from './row.ts'
import { type Sent, send } from './send.ts'
import type { Settings } from './settings.ts'

/** Operation by name. A call converts its input to a request and its response to a result. */

export interface Named {
  name: string
  row: Row
}
export type Input = Readonly<Record<string, unknown>>

/** Sends a call and passes the response to `read`. @throws as `send` */
export function respond<A>(
  settings: Settings,
  { name, row }: Named,
  input: Input = {},
  options: CallOptions = {},
  read: (answer: Response) => Promise<A>,
): Promise<A> {
  const written = writeBody(row, input.body)
  const { signal, retries } = options
  const sent: Sent = {
    operation: name,
    method: row.method,
    path: pathWith(name, row, input),
    headers: { ...headersOf(row, input, written), ...optional(row, options) },
    body: written?.body,
    isRepeatable: (written?.isRepeatable ?? true) && isSafe(row, input),
    ...(row.answer === 'redirect' && { redirect: 'manual' }),
    ...{ signal, retries },
  }
  return send(settings, sent, read)
}

/** Sends a call and returns its result. @throws as `send` */
export function call(
  settings: Settings,
  named: Named,
  input?: Input,
  options?: CallOptions,
): Promise<unknown> {
  return respond(settings, named, input, options, (answer) => readAnswer(named, answer))
}

/** Reads, and writes with the same result when repeated. A PATCH can add to lists, so it is not safe. */
function isSafe({ method, takes_key }: Row, input: Input): boolean {
  if (takes_key || method === 'GET' || method === 'DELETE') return true
  return method === 'PUT' && input.if_match === undefined
}

/** @throws TypeError for a missing parameter */
function pathWith(name: string, { path, headers = [] }: Row, input: Input): string {
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
  input: Input,
  written: Written | undefined,
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

async function readAnswer({ name, row }: Named, answer: Response): Promise<unknown> {
  if (row.answer === 'bytes' || row.answer === 'redirect') return answer
  const text = await answer.text()
  return row.answer === 'nothing' || text === '' ? undefined : parsed(name, answer, text)
}
