import { DomainError, invalidInput } from '@reticle/kit'

/** JSON bodies, read as `spec/api-workspace.md` 1.2 and `reliability.md` 8 want them. */

export const deepest = 64

const parseError = (reason: string) =>
  new DomainError('invalid', `JSON parse error - ${reason}`, { code: 'parse_error' })

/**
 * The value of a JSON body; undefined for no bytes at all.
 *
 * @throws DomainError invalid for what is no JSON, nested deeper than 64, or holds what no database stores
 */
export async function readJson(body: AsyncIterable<Buffer>): Promise<unknown> {
  const bytes = await wholeOf(body)
  return bytes.length === 0 ? undefined : parseJson(bytes)
}

export async function wholeOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** Parses UTF-8 bytes; the depth is counted before anything is built from them. */
function parseJson(bytes: Uint8Array): unknown {
  assertDepth(bytes)
  const value = parse(decode(bytes))
  assertStorable(value, [])
  return value
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw parseError('the body is not UTF-8')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw parseError(thrown instanceof Error ? thrown.message : 'the body is not JSON')
  }
}

const [quote, backslash] = Buffer.from('"\\')
const opening = new Set(Buffer.from('[{'))
const closing = new Set(Buffer.from(']}'))

function assertDepth(bytes: Uint8Array): void {
  let depth = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) at = endOfText(bytes, at)
    else if (closing.has(byte)) depth--
    else if (opening.has(byte) && ++depth > deepest)
      throw parseError(`nested deeper than ${deepest} levels at byte ${at}`)
  }
}

/** Position of the quote that ends the text which begins at `start`. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at
}

type Path = readonly PropertyKey[]

/** Numbers have to be finite, texts storable, and no key may reach for a prototype. */
export function assertStorable(value: unknown, path: Path): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw refused(path, 'A valid number is required.')
  if (typeof value === 'string') assertText(value, path)
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) assertStorable(item, [...path, index])
    return
  }
  for (const [key, inner] of Object.entries(value)) assertMember(key, inner, path)
}

function assertMember(key: string, inner: unknown, path: Path): void {
  const isPrototype =
    key === '__proto__' || (key === 'constructor' && Object.hasOwn(Object(inner), 'prototype'))
  if (isPrototype) throw parseError(`the key ${key} is not allowed`)
  assertText(key, path)
  assertStorable(inner, [...path, key])
}

function assertText(text: string, path: Path): void {
  if (text.includes('\0') || /\p{Surrogate}/u.test(text))
    throw refused(path, 'Null characters and unpaired surrogates are not allowed.')
}

function refused(path: Path, message: string): DomainError {
  return invalidInput([{ code: 'custom', path: [...path], message, input: undefined }])
}
