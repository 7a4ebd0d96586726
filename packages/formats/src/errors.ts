/** Where in an import or export something is wrong. */
export interface Place {
  /** File or archive member. */
  file?: string | undefined
  /** Record in the file: `annotation 17`, `image 3`. */
  record?: string | undefined
  /** Bytes from the start of the file. */
  offset?: number | undefined
}

/**
 * Data that cannot be imported or exported (spec/formats.md 4.4): the request fails with this message,
 * which names the file, the record and the byte as far as they are known.
 */
export class FormatError extends Error {
  override readonly name = 'FormatError'
  readonly place: Place

  constructor(reason: string, place: Place = {}) {
    const at = place.offset === undefined ? '' : ` at byte ${place.offset}`
    super([place.file, place.record, `${reason}${at}`].filter(Boolean).join(': '))
    this.place = place
  }
}
