import type { ExitStatus } from './exit-codes.ts'

/** An error for the user: the problem and the next step. */
export class Failure extends Error {
  readonly ending: ExitStatus
  /** Stable error code, for scripts. */
  readonly code: string
  /** The next step, in one sentence. */
  readonly hint: string | undefined
  /** Further details as JSON, for scripts: fields of an invalid body, the status code. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    message: string,
    {
      ending = 'failed',
      code = ending,
      hint,
      details = {},
    }: {
      ending?: ExitStatus
      code?: string
      hint?: string | undefined
      details?: Readonly<Record<string, unknown>>
    } = {},
  ) {
    super(message)
    this.ending = ending
    this.code = code
    this.hint = hint
    this.details = details
  }
}

/** Creates a failure for an invalid command line. */
export const usageFailure = (message: string, hint?: string) =>
  new Failure(message, { ending: 'usage', hint })
