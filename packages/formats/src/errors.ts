/** Where in an import or export something is wrong. */
export interface Place {
  /** File or archive member. */
  file?: string | undefined
  /** Record in the file: `annotation 17`, `image 3`. */
  record?: string | undefined
  /** Bytes from the start of the file. */
  offset?: number | undefined
  /** Of a text, from 1. */
  line?: number | undefined
}

/** In characters, of a part of a message: texts of a file may have any length. */
const longestPart = 500

/** Keeps both ends: a name begins a reason, and what is wrong with it ends the reason. */
const shortened = (text = ''): string => {
  const half = longestPart / 2
  return text.length > longestPart ? `${text.slice(0, half)}…${text.slice(1 - half)}` : text
}

/**
 * Data that cannot be imported or exported (spec/formats.md 4.4): the request fails with this message,
 * which names the file, the record and the byte or line as far as they are known.
 */
export class FormatError extends Error {
  override readonly name = 'FormatError'
  readonly place: Place

  constructor(reason: string, place: Place = {}) {
    const byte = place.offset === undefined ? '' : ` at byte ${place.offset}`
    const at = place.line === undefined ? byte : ` at line ${place.line}`
    const parts = [place.file, place.record, reason].filter(
      (part) => part !== undefined && part !== '',
    )
    super(`${parts.map(shortened).join(': ')}${at}`)
    this.place = place
  }
}
