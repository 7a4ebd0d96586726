import { DomainError, invalidInput } from '@reticle/kit'
import { comma, depthChange, endOfText, parseError, parseInPieces, quote } from './json-pieces.ts'

/** JSON bodies, read as `spec/api-workspace.md` 1.2 and `reliability.md` 8 want them. */

export const deepest = 64
/** Values of one body, keys not counted: some ten thousand labels, or the names of as many files. */
export const mostValues = 200_000

/**
 * The value of a JSON body; undefined for no bytes at all.
 *
 * @throws DomainError invalid for what is no JSON, nested deeper than 64, or holds what no database stores; too_large for
 * more values than `mostValues`, which are counted before any of them is built
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

/** Parses UTF-8 bytes; depth and values are counted before anything is built from them. */
async function parseJson(bytes: Uint8Array): Promise<unknown> {
  assertSize(bytes)
  return parseInPieces(bytes, assertStorable)
}

/** Every value but the first of its list or object has a comma before it, and the first a bracket. */
function assertSize(bytes: Uint8Array): void {
  let depth = 0
  let values = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    if (byte === quote) at = endOfText(bytes, at)
    const change = depthChange[byte] ?? 0
    depth += change
    if (change > 0 || byte === comma) values++
    if (depth > deepest) throw parseError(`nested deeper than ${deepest} levels at byte ${at}`)
    if (values > mostValues)
      throw new DomainError('too_large', `The request body has more than ${mostValues} values.`)
  }
}

type Path = readonly PropertyKey[]

/** Numbers have to be finite, texts storable, and no key may reach for a prototype. */
export function assertStorable(value: unknown, path: Path): void {
  assertEach(value, [...path])
}

/** @param path where the value is; it is the same list for all values, so that none of them costs a copy */
function assertEach(value: unknown, path: PropertyKey[]): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw refused(path, 'A valid number is required.')
  if (typeof value === 'string') assertText(value, path)
  if (typeof value !== 'object' || value === null) return
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [key, inner] of entries) {
    if (typeof key === 'string') assertKey(key, inner, path)
    path.push(key)
    assertEach(inner, path)
    path.pop()
  }
}

function assertKey(key: string, inner: unknown, path: Path): void {
  const isPrototype =
    key === '__proto__' || (key === 'constructor' && Object.hasOwn(Object(inner), 'prototype'))
  if (isPrototype) throw parseError(`the key ${key} is not allowed`)
  assertText(key, path)
}

function assertText(text: string, path: Path): void {
  if (text.includes('\0') || /\p{Surrogate}/u.test(text))
    throw refused(path, 'Null characters and unpaired surrogates are not allowed.')
}

function refused(path: Path, message: string): DomainError {
  return invalidInput([{ code: 'custom', path: [...path], message, input: undefined }])
}
