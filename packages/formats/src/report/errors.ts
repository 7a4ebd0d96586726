/** Place in an import or export that an error refers to. */
export interface ErrorLocation {
  /** File or archive member. */
  file?: string | undefined
  /** Record in the file: `annotation 17`, `image 3`. */
  record?: string | undefined
  /** Byte offset from the start of the file. */
  offset?: number | undefined
  /** Line of a text file, from 1. */
  line?: number | undefined
}

/** Maximum length of one part of a message in characters, because texts from a file may have any length. */
const longestPart = 500

/** Shortens the middle and keeps both ends: a message begins with a name and ends with the problem. */
const shortened = (text = ''): string => {
  const half = longestPart / 2
  return text.length > longestPart ? `${text.slice(0, half)}…${text.slice(1 - half)}` : text
}

/**
 * Data that cannot be imported or exported: the request fails with this message, which names the file, the record and
 * the byte or line as far as known.
 */
export class FormatError extends Error {
  override readonly name = 'FormatError'
  readonly location: ErrorLocation

  constructor(reason: string, location: ErrorLocation = {}) {
    const byte = location.offset === undefined ? '' : ` at byte ${location.offset}`
    const at = location.line === undefined ? byte : ` at line ${location.line}`
    const parts = [location.file, location.record, reason].filter(
      (part) => part !== undefined && part !== '',
    )
    super(`${parts.map(shortened).join(': ')}${at}`)
    this.location = location
  }
}
