/**
 * What the program that works node-av is asked, and what it writes: records after one another, each a head and its bytes. Numbers
 * are of this machine's byte order, since both ends run on it.
 */
export const recordKinds = [
  'end',
  'failed',
  'version',
  'look',
  'packets',
  'times',
  'picture',
] as const
export type RecordKind = (typeof recordKinds)[number]

/** A question, as JSON, is the one argument of the program. The answer is records of the same name, then `end` or `failed`. */
export type Question =
  | { ask: 'version' }
  | (Opening & { ask: 'look' | 'packets' | 'times' })
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

/** Bytes of a head: kind and length of what follows, the time of a picture. */
export const headBytes = 16

export function encodeHead(kind: RecordKind, length: number, time = 0): Uint8Array {
  const head = new ArrayBuffer(headBytes)
  new Uint32Array(head, 0, 2).set([recordKinds.indexOf(kind), length])
  new Float64Array(head, 8, 1).set([time])
  return new Uint8Array(head)
}

export function decodeHead(head: Uint8Array) {
  const { buffer } = Uint8Array.from(head)
  const [kind = -1, length = 0] = new Uint32Array(buffer, 0, 2)
  const [time = 0] = new Float64Array(buffer, 8, 1)
  return { kind: recordKinds[kind], length, time }
}

export const numbersOf = (bytes: Uint8Array) => new Float64Array(Uint8Array.from(bytes).buffer)

/** A packet is two numbers: its time (NaN: none), and what is known of it, these added. */
export const packetFlags = { isKey: 1, isShown: 2, isCut: 4 } as const

/** Part of what the program says when it has failed for want of memory: FFmpeg's own words. */
export const noMemory = 'Cannot allocate memory'
