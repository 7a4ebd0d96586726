import type { AnyJson } from '../../support/client.ts'
import type { Random } from '../../support/random.ts'
import type { openObjects } from './objects.ts'
import { spoilBytes, spoilValues } from './spoil.ts'

/** One call that writes annotations, valid or not. */
export interface FuzzedCall {
  method: 'PUT' | 'PATCH'
  /** Query of the call: empty, or starting with `?`. */
  query: string
  headers: Record<string, string>
  body: Uint8Array
}

const actions = ['create', 'create', 'update', 'update', 'delete']
const strangeQueries = [
  ...[
    '',
    '?action=merge',
    '?action=',
    '?action=create&action=delete',
    '?action=create%00',
    '?action[]=create',
  ],
  ...[
    '?action=CREATE',
    `?action=${'x'.repeat(2000)}`,
    '?action=create&format=x',
    '?action=%ff',
    '?x',
  ],
]
const types = [
  ...[
    'application/json; charset=utf-8',
    'application/vnd.service+json',
    'Application/JSON',
    'application/json;;',
  ],
  ...[
    'application/json; charset=utf-16',
    'text/plain',
    'multipart/form-data',
    'application/x-ndjson',
    'x',
  ],
]
const encodings = ['gzip', 'br', 'identity', 'nonsense']
const accepts = ['application/problem+json', 'text/html', '*/*', 'application/json', ';;']

/** @param present the current entity tag of the set */
function headersOf(random: Random, present: string): Record<string, string> {
  const { isTrue, pick, below } = random
  const tags = [
    present,
    present,
    '*',
    '"old"',
    `W/${present}`,
    'x',
    '"x", "y"',
    '',
    `"${'x'.repeat(4000)}"`,
  ]
  const key = () => pick([`key ${below(1e6)}`, `key ${below(30)}`, '', 'x'.repeat(256), 'é'])
  return {
    'content-type': isTrue(0.03) ? pick(types) : 'application/json',
    ...(isTrue(0.15) && { 'if-match': pick(tags) }),
    ...(isTrue(0.15) && { 'idempotency-key': key() }),
    ...(isTrue(0.02) && { 'content-encoding': pick(encodings) }),
    ...(isTrue(0.05) && { accept: pick(accepts) }),
  }
}

type Objects = ReturnType<typeof openObjects>

/**
 * Returns a random call. One in four is valid; others have wrong values, bytes or headers.
 *
 * @param known the current set
 */
export function nextCall(
  random: Random,
  objects: Objects,
  known: { set: AnyJson; tag: string },
): FuzzedCall {
  const { isTrue, pick } = random
  const method = isTrue(0.25) ? 'PUT' : 'PATCH'
  const action = pick(actions)
  const good = method === 'PUT' || action === 'create' ? objects.set() : objects.change(known.set)
  const isRight = isTrue(0.25)
  const json = isRight || isTrue(0.3) ? good : spoilValues(random, good)
  const text = JSON.stringify(json)
  const query = method === 'PATCH' ? `?action=${action}` : ''
  return {
    method,
    query: !isRight && isTrue(0.05) ? pick(strangeQueries) : query,
    headers: isRight ? { 'content-type': 'application/json' } : headersOf(random, known.tag),
    body: isRight || json !== good ? Buffer.from(text) : spoilBytes(random, text),
  }
}
