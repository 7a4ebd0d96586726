import { DomainError, invalid } from '@reticle/kit'
import type { FastifyRequest } from 'fastify'
import { readChecksum } from './checksum.ts'

/** Properties of a new file, from the headers of its creation. */
export interface Creation {
  /** Relative path with slashes. */
  name: string
  /** Bytes. */
  length: number
  /** Checksum of the content, hexadecimal. */
  sha256?: string
}

/**
 * Reads the headers of a creation.
 * @throws DomainError invalid, naming the header; too_large above `maxBytes`
 */
export function readCreation(request: FastifyRequest, maxBytes: number): Creation {
  const length = readLength(request)
  const { filename } = readMetadata(request)
  if (!filename) throw invalid({ 'Upload-Metadata': 'A filename is required.' }, 'required')
  assertName(filename)
  if (length > maxBytes)
    throw new DomainError('too_large', `A file may have ${maxBytes} bytes, this one has ${length}.`)
  const checksum = readChecksum(request, ['sha256'])
  return { name: filename, length, ...(checksum && { sha256: checksum.digest }) }
}

/**
 * Reads a header with a number of bytes.
 * @throws DomainError invalid
 */
export function readBytes(name: string, given: string | string[] | undefined): number {
  if (given === undefined) throw invalid({ [name]: 'This header is required.' }, 'required')
  const text = String(given)
  const bytes = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(bytes))
    throw invalid({ [name]: 'This header has to be a number of bytes.' })
  return bytes
}

function readLength({ headers }: FastifyRequest): number {
  if (headers['upload-defer-length'] !== undefined)
    throw invalid({ 'Upload-Defer-Length': 'The length of a file is needed at its creation.' })
  if (headers['upload-concat'] !== undefined)
    throw invalid({ 'Upload-Concat': 'Files cannot be put together of others.' })
  return readBytes('Upload-Length', headers['upload-length'])
}

/** Reads pairs of a key and a Base64 value. */
function readMetadata({ headers }: FastifyRequest): Partial<Record<string, string>> {
  const pairs = String(headers['upload-metadata'] ?? '')
    .split(',')
    .map((pair) => pair.trim().split(/ +/))
  return Object.fromEntries(
    pairs.map(([key = '', value = '']) => [key, decodeMetadata(key, value)]),
  )
}

function decodeMetadata(key: string, value: string): string {
  if (key !== 'filename') return value
  const bytes = Buffer.from(value, 'base64')
  try {
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(value)) throw new Error('not Base64')
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw invalid({ 'Upload-Metadata': 'The filename has to be UTF-8 in Base64.' })
  }
}

const longestName = 1024

/**
 * Checks a file name, although nothing is ever stored under it.
 * @throws DomainError invalid
 */
function assertName(name: string): void {
  const refuse = (why: string) => invalid({ 'Upload-Metadata': `The filename ${why}.` })
  if (name.length > longestName) throw refuse(`is longer than ${longestName} characters`)
  if (/\p{Cc}|\\/u.test(name)) throw refuse('has control characters or backslashes')
  if (/^(?:\/|[A-Za-z]:)/.test(name)) throw refuse('is not relative')
  if (name.split('/').some((part) => ['', '.', '..'].includes(part.trim())))
    throw refuse('has parts that are empty, "." or ".."')
}
