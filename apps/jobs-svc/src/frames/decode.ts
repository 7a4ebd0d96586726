import { availableParallelism } from 'node:os'
import { DomainError } from '@reticle/kit'
import type { Sharp } from 'sharp'
import { longestSeconds, openShownImage } from '../media/image.ts'
import { atMost } from './at-most.ts'
import { undecodable } from './source.ts'

/** What is made of an image. */
export type Change = (image: Sharp) => Sharp

/**
 * Reads an image and makes another of it, as soon as there is a place.
 *
 * @throws DomainError not_found `image_undecodable` for what is no whole image, or takes too long; too_many when no place
 *   gets free; what `read` throws
 */
export type Decoder = (read: () => Promise<Buffer>, change: Change) => Promise<Buffer>

interface Limits {
  /** Images that are decoded at once, and so are in memory. */
  places?: number
  /** Longest for one image (`reliability.md` 9). */
  longestSeconds?: number
  /** Longest to wait for a place (`spec/decisions.md` 4). */
  patienceMs?: number
}

/**
 * As many as there are processors; but decoders run in libuv's four threads, which files are read in as well, so that one is
 * left for those.
 */
export const usualPlaces = Math.min(availableParallelism(), 3)

const second = 1000

/**
 * The decoder of a process. An image that takes too long ends with its call and is told to stop; where the library does not
 * heed that it keeps its place, so that the others get on and the process goes on.
 */
export function openDecoder({
  places = usualPlaces,
  longestSeconds: seconds = longestSeconds,
  patienceMs = 10 * second,
}: Limits = {}): Decoder {
  const inPlace = atMost(places)
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
          resolve(await change(image).timeout({ seconds }).toBuffer())
        } catch (thrown) {
          reject(isTimeout(thrown) ? tooSlow(seconds) : undecodable())
        } finally {
          clearTimeout(late)
        }
      }
      inPlace(work).catch(reject)
    })
}

const tooSlow = (seconds: number) =>
  undecodable(`This image cannot be decoded within ${seconds} seconds.`)

/** What the library says of an image that it gave up (`timeout: 12% complete`). */
const isTimeout = (thrown: unknown) =>
  thrown instanceof Error && thrown.message.startsWith('timeout:')

const tooMany = () =>
  new DomainError('too_many', 'Too many images are being decoded.', {
    code: 'decoders_busy',
    retry_after: 10,
  })
