import { DomainError, invalidInput } from '@reticle/kit'
import { comma, endOfText, parseError, parseInPieces, quote } from './json-pieces.ts'

/** JSON bodies, read as `spec/api-workspace.md` 1.2 and `reliability.md` 8 want them. */

export const deepest = 64
/** Values of one body, keys not counted: some ten thousand labels, or the names of as many files. */
export const mostValues = 200_000
/** Of one object. */
export const mostKeys = 10_000

/**
 * The value of a JSON body; undefined for no bytes at all.
 *
 * @throws DomainError invalid for what is no JSON, nested deeper than 64, or holds what no database stores; too_large for
 * more values than `mostValues` or more keys than `mostKeys`, which are counted before any of them is built
 */
export async function readJson(body: AsyncIterable<Buffer>): Promise<unknown> {
  const bytes = await wholeOf(body)
  if (bytes.length === 0) return undefined
  assertSize(bytes)
  return parseInPieces(bytes, assertStorable)
}

export async function wholeOf(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces)
}

const [begins, ends, isText, separates] = [1, 2, 3, 4]
const kinds = new Uint8Array(256)
for (const text of '{[') kinds[text.charCodeAt(0)] = begins
for (const text of '}]') kinds[text.charCodeAt(0)] = ends
kinds[quote] = isText
kinds[comma] = separates
const curlyOpen = '{'.charCodeAt(0)

/** Counts levels, values and keys before anything is built from them. */
function assertSize(bytes: Uint8Array): void {
  const count = { depth: 0, values: 0, keys: new Int32Array(deepest + 1) }
  for (let at = 0; at < bytes.length; at++) {
    const kind = kinds[bytes[at] ?? 0] ?? 0
    if (kind === 0) continue
    if (kind === isText) at = endOfText(bytes, at)
    else if (kind === ends) count.depth = Math.max(0, count.depth - 1)
    else {
      if (kind === begins) beginLevel(count, bytes[at] === curlyOpen, at)
      countValue(count)
    }
  }
}

interface Count {
  depth: number
  values: number
  /** By depth; below 0 in a list. */
  keys: Int32Array
}

function beginLevel(count: Count, isObject: boolean, at: number): void {
  count.depth++
  if (count.depth > deepest) throw parseError(`nested deeper than ${deepest} levels at byte ${at}`)
  count.keys[count.depth] = isObject ? 0 : -2 * mostValues
}

/** Every value but the first of its list or object has a comma before it, and the first a bracket. */
function countValue(count: Count): void {
  count.values++
  const keys = (count.keys[count.depth] ?? 0) + 1
  count.keys[count.depth] = keys
  if (count.values > mostValues)
    throw tooMany(`The request body has more than ${mostValues} values.`)
  if (keys > mostKeys)
    throw tooMany(`An object of the request body has more than ${mostKeys} keys.`)
}

const tooMany = (message: string) => new DomainError('too_large', message)

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
