/** A document that is not XML, or exceeds a limit of the reader. Lines are counted from 1. */
export class XmlError extends Error {
  override readonly name = 'XmlError'
  readonly reason: string
  readonly line: number

  constructor(reason: string, line: number) {
    super(`${reason} at line ${line}`)
    this.reason = reason
    this.line = line
  }
}
