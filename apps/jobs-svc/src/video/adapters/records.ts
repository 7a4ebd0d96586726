import { createRecordCodec } from '../../programs/records.ts'

/**
 * Questions to the node-av program and the records that it writes (`programs/records.ts`); pictures are numbered by
 * their times.
 */

const recordKinds = ['end', 'failed', 'version', 'look', 'packets', 'times', 'picture'] as const

/**
 * Question as JSON, the only argument of the program. The answer consists of records of the same name, then `end` or
 * `failed`.
 */
export type NodeAvQuery =
  | { ask: 'version' }
  | (Opening & { ask: 'look' | 'packets' | 'times' })
  /** The error output carries the answer (`chapter-lines.ts`); the only record is `end`. */
  | (Opening & { ask: 'chapters' })
  | (Opening & PictureSelection & { ask: 'picture' })

export interface Opening {
  path: string
  threads: number
}

export interface PictureSelection {
  /** Stored pixels, to which all pictures are scaled. */
  width: number
  height: number
  by: 'time' | 'order'
  /** Time of the key frame to start at; null: the start of the file. */
  from: number | null
  spans: { first: number; last: number }[]
}

export const nodeAvRecords = createRecordCodec(recordKinds)

export const numbersOf = (bytes: Uint8Array) => new Float64Array(Uint8Array.from(bytes).buffer)

/** Flags of a packet. A packet is two numbers: its time (NaN: none), and the sum of its flags. */
export const packetFlags = { isKey: 1, isShown: 2, isCut: 4 } as const

/** Part of FFmpeg's message when it runs out of memory. */
export const noMemory = 'Cannot allocate memory'
