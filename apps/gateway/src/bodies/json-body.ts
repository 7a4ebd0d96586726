import { DomainError, invalidInput } from '@reticle/kit'
import { comma, createParseError, endOfText, parseInPieces, quote } from './json-pieces.ts'

/** Limits of JSON bodies, which protect memory and database. */

/** Maximum number of nested levels. */
export const deepest = 64
/** Maximum number of values in a body, excluding keys: about ten thousand labels, or the names of as many files. */
export const mostValues = 200_000
/** Maximum number of keys of one object. */
export const mostKeys = 10_000

/**
 * Reads a JSON body; undefined when it is empty.
 * @throws DomainError invalid for text that is not JSON, is nested deeper than 64, or contains values that databases
 * cannot store; too_large for more values than `mostValues` or more keys than `mostKeys`, which are counted before
 * any value is built
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

/** Counts levels, values and keys before any value is built. */
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
  /** By depth; negative in a list. */
  keys: Int32Array
}

function beginLevel(count: Count, isObject: boolean, at: number): void {
  count.depth++
  if (count.depth > deepest)
    throw createParseError(`nested deeper than ${deepest} levels at byte ${at}`)
  count.keys[count.depth] = isObject ? 0 : -2 * mostValues
}

/**
 * Counts a value: every value except the first of a list or object follows a comma, and the first follows a bracket.
 */
function countValue(count: Count): void {
  count.values++
  const keys = (count.keys[count.depth] ?? 0) + 1
  count.keys[count.depth] = keys
  if (count.values > mostValues)
    throw createTooManyError(`The request body has more than ${mostValues} values.`)
  if (keys > mostKeys)
    throw createTooManyError(`An object of the request body has more than ${mostKeys} keys.`)
}

const createTooManyError = (message: string) => new DomainError('too_large', message)

type Path = readonly PropertyKey[]

/** Checks a value: numbers must be finite, texts must be storable, and keys must not refer to a prototype. */
export function assertStorable(value: unknown, path: Path): void {
  assertEach(value, [...path])
}

/**
 * Checks nested values.
 * @param path Path of the value; the list is shared by all values to avoid copies
 */
function assertEach(value: unknown, path: PropertyKey[]): void {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw createFieldError(path, 'A valid number is required.')
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
  if (isPrototype) throw createParseError(`the key ${key} is not allowed`)
  assertText(key, path)
}

function assertText(text: string, path: Path): void {
  if (text.includes('\0') || /\p{Surrogate}/u.test(text))
    throw createFieldError(path, 'Null characters and unpaired surrogates are not allowed.')
}

function createFieldError(path: Path, message: string): DomainError {
  return invalidInput([{ code: 'custom', path: [...path], message, input: undefined }])
}
