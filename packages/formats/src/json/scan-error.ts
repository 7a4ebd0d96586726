/**
 * A document that is no JSON, or breaks a guard of the scanner.
 * `offset` counts bytes from the start of the document (a byte order mark included), `where` is the
 * member the fault lies in (`annotations[17]`, `info`) or empty outside of any.
 */
export class ScanError extends Error {
  override readonly name = 'ScanError'
  readonly reason: string
  readonly offset: number
  readonly where: string

  constructor(reason: string, offset: number, where = '') {
    super(`${where ? `${where}: ` : ''}${reason} at byte ${offset}`)
    this.reason = reason
    this.offset = offset
    this.where = where
  }
}
