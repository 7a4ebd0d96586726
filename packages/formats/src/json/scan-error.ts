/**
 * A document that is not JSON or exceeds a limit of the scanner. `offset` counts bytes from the start of the document
 * (including a byte order mark); `where` is the member with the fault (`annotations[17]`, `info`), or empty outside
 * of members.
 */
export class ScanError extends Error {
  override readonly name: string = 'ScanError'
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

/** A list or an object of a document with more members than allowed. */
export class MembersError extends ScanError {
  /** Path such as `['shapes', 3, 'points']`. */
  readonly path: readonly (string | number)[]
  readonly most: number

  constructor({
    offset,
    path,
    most,
  }: { offset: number; path: MembersError['path']; most: number }) {
    super(`more than ${most} members`, offset, path.join('.'))
    this.path = path
    this.most = most
  }
}
