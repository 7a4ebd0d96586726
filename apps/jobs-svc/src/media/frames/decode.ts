import { availableParallelism } from 'node:os'
import { DomainError } from '@reticle/kit'
import type { Sharp } from 'sharp'
import { longestSeconds, openShownImage } from '../image.ts'
import { limitConcurrency } from './limit-concurrency.ts'
import { undecodable } from './source.ts'

/** Conversion of an image. */
export type ImageConversion = (image: Sharp) => Sharp

/** Creates another image, or keeps the bytes of the image where it returns undefined. */
export type OptionalConversion = (image: Sharp) => Promise<Sharp | undefined>

/**
 * Reads an image and converts it, as soon as a place is free.
 *
 * @throws DomainError not_found `image_undecodable` for an incomplete image, or one that takes too long; too_many when
 *   no place gets free; errors of `read`
 */
export type ImageDecoder = (
  read: () => Promise<Buffer>,
  change: ImageConversion | OptionalConversion,
) => Promise<Buffer>

interface Limits {
  /** Number of images that are decoded at the same time, and so are in memory. */
  places?: number
  /** Time limit of one image. */
  longestSeconds?: number
  /** Longest wait for a place. */
  patienceMs?: number
}

/**
 * As many as processors, but at most three: decoders run in libuv's four threads, of which one must stay free for
 * reading files.
 */
export const defaultConcurrency = Math.min(availableParallelism(), 3)

const second = 1000

/**
 * Creates the decoder of a process. An image that takes too long is aborted and its call fails. If the library ignores
 * the abort, the place stays occupied, and other images use the remaining places.
 */
export function createImageDecoder({
  places: concurrency = defaultConcurrency,
  longestSeconds: seconds = longestSeconds,
  patienceMs = 10 * second,
}: Limits = {}): ImageDecoder {
  const limit = limitConcurrency(concurrency)
  return (read, change) =>
    new Promise((resolve, reject) => {
      let hasLeft = false
      const impatient = setTimeout(() => {
        hasLeft = true
        reject(tooMany())
      }, patienceMs)
      const work = async () => {
        clearTimeout(impatient)
        if (hasLeft) return
        const bytes = await read()
        const late = setTimeout(() => reject(tooSlow(seconds)), seconds * second)
        try {
          const image = await openShownImage(bytes, seconds)
          const changed = await change(image)
          resolve((await changed?.timeout({ seconds }).toBuffer()) ?? bytes)
        } catch (thrown) {
          reject(isTimeout(thrown) ? tooSlow(seconds) : undecodable())
        } finally {
          clearTimeout(late)
        }
      }
      limit(work).catch(reject)
    })
}

const tooSlow = (seconds: number) =>
  undecodable(`This image cannot be decoded within ${seconds} seconds.`)

/** Recognizes the library's message for an aborted image (`timeout: 12% complete`). */
const isTimeout = (thrown: unknown) =>
  thrown instanceof Error && thrown.message.startsWith('timeout:')

const tooMany = () =>
  new DomainError('too_many', 'Too many images are being decoded.', {
    code: 'decoders_busy',
    retry_after: 10,
  })
