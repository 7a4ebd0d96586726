/** Results and options of a scan. */

/** Some elements of an array of the root; an empty array gives one batch without items. */
export interface ArrayBatch {
  key: string
  items: unknown[]
  /** Index of `items[0]` in the array. */
  first: number
  /** Where the batch starts, in bytes from the start of the document. */
  offset: number
}

/** A member of the root other than an array. */
export interface RootValue {
  key: string
  value: unknown
  offset: number
}

export type Member = ArrayBatch | RootValue

/** Limits of a scan, and the members to hand out. */
export interface ScanOptions {
  /** Members for which it answers false are walked over, neither parsed nor handed out. */
  wanted?: (key: string) => boolean
  /** Size from which a batch is cut, in bytes (65,536). */
  batchBytes?: number
  /** Deepest nesting, the root object counted (64). */
  maxDepth?: number
  /** Longest text in bytes, quotes and escapes counted (1 MiB). */
  maxTextBytes?: number
  /** Largest element or single member in bytes (64 MiB). */
  maxItemBytes?: number
  /** Called between steps of some 64 KiB: a chance for other work of the process. */
  pause?: () => Promise<void>
  /**
   * Members that a list or an object inside of a large element may have (no limit); counted before it is parsed, and while the
   * element arrives.
   */
  maxMembers?: number
}

/** Distinguishes elements of an array from a single value. */
export function isBatch(member: Member): member is ArrayBatch {
  return 'items' in member
}

/** Bytes of a document that are too many to be parsed at once. */
export interface LargePart {
  bytes: Uint8Array
  /** Offset of the first byte in the document. */
  offset: number
  /** Where the part is in the document, such as `['shapes', 3]`. */
  path: readonly (string | number)[]
}
