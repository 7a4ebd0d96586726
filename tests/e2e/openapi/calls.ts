import type { AnyJson } from '../../support/client.ts'
import type { Random } from '../../support/random.ts'
import { metadata } from '../../support/tus.ts'
import { spoilBytes, spoilValues } from '../fuzz/spoil.ts'
import type { DocumentOperation, DocumentParameter, OpenapiDocument } from './document.ts'
import { type Known, kindOf, likely, openValues } from './values.ts'
import type { FuzzCaller, FuzzWorld } from './world.ts'

/** One call of an operation, valid or deliberately spoilt. */
export interface FuzzCall {
  operation: DocumentOperation
  /** Can be HEAD where the operation is GET. */
  method: string
  /** Address with query. */
  url: string
  as: FuzzCaller
  headers: Record<string, string>
  body?: string | Uint8Array | FormData
  /** Parts that were made invalid on purpose. */
  spoilt: string[]
}

/** Values that fit no parameter. */
const strange: readonly string[] = [
  ...['', ' ', '0', '-1', '1.5', '1e3', 'x', 'null', 'true', '[]', '{}', '%', '../..', "'--", '\0'],
  ...['999999999', '2147483648', '99999999999999999999', 'Größe', '💥', 'a,b', 'x'.repeat(3000)],
]
const accepts = ['text/csv', 'application/problem+json', 'application/json', 'text/html;q=0', ';;']
/** Headers with a meaning in other operations. */
const unasked: readonly Record<string, string>[] = [
  ...[{ Range: 'bytes=0-3' }, { Range: 'bytes=99999999-' }, { 'If-None-Match': '*' }],
  ...[{ 'If-Match': '"x"' }, { 'If-Match': 'x' }, { 'If-Modified-Since': 'x' }],
  ...[{ 'Idempotency-Key': 'one key' }, { 'X-Organization': 'nobody' }, { 'Upload-Finish': '' }],
  ...[{ 'Content-Encoding': 'gzip' }, { 'X-HTTP-Method-Override': 'DELETE' }, { Cookie: 'x=;;' }],
  ...[{ Cookie: 'sessionid=x' }, { 'X-Forwarded-Host': 'a b' }, { 'Tus-Resumable': '9' }],
]
const types = ['text/plain', 'application/xml', 'application/json; charset=utf-16', 'x', 'a/b;;']

/** Parameters that belong together: the step of an upload, or one name of a workspace. */
const steps: readonly Record<string, string>[] = [
  ...[{}, {}, { 'Upload-Start': '' }, { 'Upload-Multiple': '' }, { 'Upload-Finish': '' }],
  { 'Upload-Length': '10', 'Upload-Metadata': metadata('a.png'), 'Tus-Resumable': '1.0.0' },
]
const isOfUpload = /^(?:Upload-(?:Start|Length|Metadata|Multiple|Finish)|Tus-Resumable)$/
const workspaces = new Set(['X-Organization', 'org', 'org_id'])

/** Generates calls of operations; one of two has an invalid part. */
export function openCalls(random: Random, document: OpenapiDocument, world: FuzzWorld) {
  const { pick, isTrue } = random
  const { own, foreign, credentials } = world
  const sample = openValues(random, document, own)

  function nextCall(operation: DocumentOperation): FuzzCall {
    const isRight = isTrue(0.5)
    const spoilt: string[] = []
    /** Decides whether to spoil a part of a call that should be invalid. */
    const isWrong = (what: string, chance: number) => {
      const isSo = !isRight && isTrue(chance)
      if (isSo) spoilt.push(what)
      return isSo
    }
    const path = pathOf(operation, isWrong)
    const { query, headers } = parametersOf(operation, isWrong)
    const as =
      isRight || isTrue(0.6)
        ? pick<FuzzCaller>(['owner', 'owner', 'owner', 'password', 'password', 'other'])
        : anyone()
    const { type, body } = bodyOf(operation, isWrong)
    return {
      ...{ operation, as, body, spoilt },
      method: operation.method === 'GET' && isTrue(0.05) ? 'HEAD' : operation.method,
      url: `${path}${query.size > 0 ? `?${query}` : ''}`,
      headers: {
        ...credentials[as],
        ...(type && { 'content-type': type }),
        ...headers,
        ...(isWrong('a header', 0.1) && pick(unasked)),
        ...(isWrong('Accept', 0.1) && { accept: pick(accepts) }),
        ...(isWrong('Content-Type', 0.05) && { 'content-type': pick(types) }),
        ...(isWrong('Authorization', 0.03) && { authorization: `Token ${pick(['x', 'a b'])}` }),
      },
    }
  }
  const anyone = () => pick<FuzzCaller>(['reader', 'other', 'other', 'admin', 'admin', 'anonymous'])

  function pathOf({ path }: DocumentOperation, isWrong: IsWrong): string {
    let before = ''
    const parts = path.split('/').map((part) => {
      const name = /^\{(\w+)\}$/.exec(part)?.[1]
      const kind = before.replace(/s$/, '')
      before = part
      if (name === undefined) return part
      const own = name === 'file_id' ? path : kindOf(name)
      return encodeURIComponent(String(idOf(name === 'id' ? kind : own, isWrong)))
    })
    return parts.join('/')
  }

  function idOf(kind: string, isWrong: IsWrong): AnyJson {
    const chosen = (known: Known) => likely(random, known[kind] ?? []) ?? 999_999
    if (isWrong(`a ${kind} of others`, 0.15)) return chosen(foreign)
    if (isWrong(`no ${kind}`, 0.1)) return pick([999_999, '00000000-0000-4000-8000-000000000000'])
    if (isWrong(`what is no ${kind}`, 0.1)) return pick(strange) || '0'
    return chosen(own)
  }

  function parametersOf({ parameters }: DocumentOperation, isWrong: IsWrong) {
    const isUpload = parameters.some(({ name }) => name === 'Upload-Start')
    const headers: Record<string, string> = isUpload ? { ...pick(steps) } : {}
    const query = new URLSearchParams()
    for (const one of chosenOf(parameters, isWrong)) {
      const { name } = one
      const value = isWrong(name, 0.15) ? pick(strange) : wordFor(one)
      if (one.in === 'header') headers[name] = sendable(value)
      else query.append(name, value)
      if (one.in === 'query' && isWrong(`${name} twice`, 0.03)) query.append(name, value)
    }
    if (isWrong('an unknown parameter', 0.05)) query.append(pick(['x', 'a[]', '__proto__']), 'x')
    return { query, headers }
  }

  /** Chooses some or most parameters; at most one names the workspace, and steps of uploads are chosen together. */
  function chosenOf(
    parameters: readonly DocumentParameter[],
    isWrong: IsWrong,
  ): DocumentParameter[] {
    const chance = pick([0, 0.2, 0.8])
    const workspace = pick([...workspaces, 'none', 'none', 'none'])
    /** parameters without a known id are used rarely */
    const chanceOf = (name: string) => (/_id$/.test(name) && !own[kindOf(name)] ? 0.05 : chance)
    const isChosen = ({ name, required }: DocumentParameter) =>
      workspaces.has(name) ? name === workspace : required || isTrue(chanceOf(name))
    return parameters
      .filter((one) => one.in !== 'path' && !isOfUpload.test(one.name))
      .filter((one) => isChosen(one) && !isWrong(`no ${one.name}`, 0.05))
  }

  function wordFor({
    name,
    schema,
    description = schema.description ?? '',
  }: DocumentParameter): string {
    const names: string[] =
      String(description)
        .split(/ by commas[^:]*: | over /)[1]
        ?.split(', ') ?? []
    if (name === 'sort') return `${pick(['', '-'])}${pick(names)}`
    if (name === 'filter') return JSON.stringify({ var: (names[0] ?? 'id').split(';', 1)[0] })
    return String(sample(schema, name))
  }

  function bodyOf(
    { bodies }: DocumentOperation,
    isWrong: IsWrong,
  ): { type?: string; body?: FuzzCall['body'] } {
    const offered = Object.entries(bodies)
    if (offered.length === 0 || isWrong('no body', 0.05)) return {}
    const [type, { schema }] = pick(offered)
    if (type.startsWith('application/offset')) return { type, body: Buffer.alloc(10, 'x') }
    if (type.startsWith('multipart/')) return { body: formOf(schema.properties ?? {}) }
    const value = sample(schema, '')
    if (isWrong('values of the body', 0.4)) {
      return { type, body: JSON.stringify(spoilValues(random, value)) }
    }
    const text = JSON.stringify(value)
    return { type, body: isWrong('bytes of the body', 0.2) ? spoilBytes(random, text) : text }
  }

  function formOf(properties: Record<string, AnyJson>): FormData {
    const form = new FormData()
    for (const [name, schema] of Object.entries(properties)) {
      const isFile = schema.format === 'binary'
      if (isFile && isTrue(0.9)) form.append(name, new Blob([pick(files)]), pick(fileNames))
      else if (!isFile && isTrue(name === 'guide_id' ? 0.9 : 0.1))
        form.append(name, JSON.stringify(sample(schema, name)))
    }
    return form
  }

  return nextCall
}

type IsWrong = (what: string, chance: number) => boolean

const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const files = [
  Buffer.from(pixel, 'base64'),
  Buffer.from('{"images":[],"annotations":[],"categories":[]}'),
  Buffer.from('PK\x05\x06'.padEnd(22, '\0'), 'latin1'),
  Buffer.from('not a file of any kind'),
]
const fileNames = ['a.png', 'a.json', 'a.zip', 'Größe 🚗.xml', '../a.png']

/** Removes characters that cannot be sent in a header. */
const sendable = (value: string) => value.replace(/[^\x20-\x7e]/g, '?').trim()

/** Prints the call as a curl command. */
export function asCurl(base: string, { method, url, headers, body }: FuzzCall): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const named = Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`)
  const sent = [...(body instanceof FormData ? body : [])].map(
    ([name, value]) => `-F ${quoted(`${name}=${typeof value === 'string' ? value : '@a file'}`)}`,
  )
  const bytes = body === undefined || body instanceof FormData ? [] : [dataOf(body)]
  return ['curl', '-X', method, ...named, ...sent, ...bytes, quoted(base + url)].join(' ')
}

function dataOf(body: string | Uint8Array): string {
  const bytes = Buffer.from(body)
  return `--data-binary @<(echo ${bytes.subarray(0, 6000).toString('base64')} | base64 -d)`
}
