import { codecOf } from '../../programs/records.ts'

/** What the program that works node-av is asked, and what it writes (`programs/records.ts`): numbers of pictures are times. */

const recordKinds = ['end', 'failed', 'version', 'look', 'packets', 'times', 'picture'] as const

/** A question, as JSON, is the one argument of the program. The answer is records of the same name, then `end` or `failed`. */
export type Question =
  | { ask: 'version' }
  | (Opening & { ask: 'look' | 'packets' | 'times' })
  /** Answered on the error output (`chapter-lines.ts`), with no record but `end`. */
  | (Opening & { ask: 'chapters' })
  | (Opening & PicturesWanted & { ask: 'picture' })

export interface Opening {
  path: string
  threads: number
}

export interface PicturesWanted {
  /** Stored pixels, to which all pictures are brought. */
  width: number
  height: number
  by: 'time' | 'order'
  /** Time of the key frame to begin at; null: the beginning of the file. */
  from: number | null
  spans: { first: number; last: number }[]
}

export const answers = codecOf(recordKinds)

export const numbersOf = (bytes: Uint8Array) => new Float64Array(Uint8Array.from(bytes).buffer)

/** A packet is two numbers: its time (NaN: none), and what is known of it, these added. */
export const packetFlags = { isKey: 1, isShown: 2, isCut: 4 } as const

/** Part of what the program says when it has failed for want of memory: FFmpeg's own words. */
export const noMemory = 'Cannot allocate memory'
