/** Results and options of a scan. */

/** Some elements of an array of the root; an empty array yields one batch without items. */
export interface ArrayBatch {
  key: string
  items: unknown[]
  /** Index of `items[0]` in the array. */
  first: number
  /** Offset of the batch in bytes from the start of the document. */
  offset: number
}

/** A member of the root other than an array. */
export interface RootValue {
  key: string
  value: unknown
  offset: number
}

export type RootMember = ArrayBatch | RootValue

/** Limits of a scan, and the members to yield. */
export interface ScanOptions {
  /** Returns false for members to skip without parsing them. */
  selects?: (key: string) => boolean
  /** Minimum size of a batch in bytes (default 65,536). */
  batchBytes?: number
  /** Maximum nesting, including the root object (default 64). */
  maxDepth?: number
  /** Maximum length of a text in bytes, including quotes and escapes (default 1 MiB). */
  maxTextBytes?: number
  /** Maximum size of an element or single member in bytes (default 64 MiB). */
  maxItemBytes?: number
  /** Called between steps of about 64 KiB, so that other work of the process can run. */
  pause?: () => Promise<void>
  /**
   * Maximum number of members of a list or an object inside a large element (default unlimited); counted before it is
   * parsed, and while the element arrives.
   */
  maxMembers?: number
}

/** Distinguishes elements of an array from a single value. */
export function isBatch(member: RootMember): member is ArrayBatch {
  return 'items' in member
}

/** Bytes of a document that are too many to be parsed at once. */
export interface LargePart {
  bytes: Uint8Array
  /** Offset of the first byte in the document. */
  offset: number
  /** Path of the part in the document, such as `['shapes', 3]`. */
  path: readonly (string | number)[]
}
