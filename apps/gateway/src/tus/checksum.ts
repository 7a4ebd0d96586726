import { createHash } from 'node:crypto'
import { invalid } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { keyOfAll, locateRange } from '@reticle/kit/blob/spread'
import type { FastifyRequest } from 'fastify'
import { HttpError } from '../call/http-error.ts'

/** Checksums of bytes, according to the extension `checksum` of the resumable upload protocol (tus.io 1.0.0). */

export const algorithms = ['sha1', 'sha256'] as const
export type Algorithm = (typeof algorithms)[number]
const digestBytes = { sha1: 20, sha256: 32 } as const

export interface Checksum {
  algorithm: Algorithm
  /** Hexadecimal. */
  digest: string
}

const header = 'Upload-Checksum'

/**
 * Reads the header.
 * @returns undefined when the header is missing
 * @throws DomainError invalid for an unsupported algorithm or an invalid digest
 */
export function readChecksum(
  { headers }: FastifyRequest,
  allowed: readonly Algorithm[] = algorithms,
): Checksum | undefined {
  const given = headers['upload-checksum']
  if (given === undefined) return undefined
  const [name, digest = '', ...more] = String(given).trim().split(/ +/)
  const algorithm = allowed.find((one) => one === name)
  if (!algorithm)
    throw invalid({ [header]: `The algorithm has to be ${allowed.join(' or ')}, and lower case.` })
  const bytes = Buffer.from(digest, 'base64')
  const isDigest = bytes.length === digestBytes[algorithm] && bytes.toString('base64') === digest
  if (!isDigest || more.length > 0)
    throw invalid({
      [header]: `After ${algorithm} a digest of ${digestBytes[algorithm]} bytes in Base64 is needed.`,
    })
  return { algorithm, digest: bytes.toString('hex') }
}

export const createMismatchError = (detail: string) =>
  new HttpError(460, 'checksum_mismatch', detail)

/** Creates a checksum over passing bytes. */
export function createChecksum({ algorithm, digest }: Checksum) {
  const hash = createHash(algorithm)
  return {
    seen: async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
      for await (const piece of pieces) {
        hash.update(piece)
        yield piece
      }
    },
    /** Returns whether the digest matches; may be called once, after the last byte. */
    isRight: () => hash.digest('hex') === digest,
  }
}

/** Returns whether the content of a key is spread over several objects. */
export const isSpread = (key: string): boolean => keyOfAll(key).endsWith('/')

/** Returns the hexadecimal SHA-256 of stored content, read in pieces. */
export async function sha256Of(
  blobs: Pick<BlobStore, 'get'>,
  key: string,
  size: number,
): Promise<string> {
  const hash = createHash('sha256')
  for (const { key: part, start, end } of locateRange(key, { start: 0, end: size })) {
    const { chunks } = await blobs.get(part, { start, end: end - 1 })
    for await (const piece of chunks) hash.update(piece)
  }
  return hash.digest('hex')
}
