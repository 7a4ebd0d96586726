/** A failure of HTTP itself, which no service knows: 405, 406, 408, 414, 415, 416 and 431 (`house.md` 5). */
export class HttpError extends Error {
  readonly status: number
  /** For `X-Error-Code`. */
  readonly code: string

  constructor(status: number, code: string, detail: string) {
    super(detail)
    this.status = status
    this.code = code
  }
}

export const notAcceptable = () =>
  new HttpError(406, 'not_acceptable', 'None of the media types in Accept can be produced.')

export const unsupportedMediaType = (detail: string) =>
  new HttpError(415, 'unsupported_media_type', detail)

export const headersTooLarge = () =>
  new HttpError(431, 'headers_too_large', 'The request headers are too large.')
