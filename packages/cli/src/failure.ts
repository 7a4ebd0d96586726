import type { Ending } from './exit-codes.ts'

/** A failure that is told to a person: what is wrong, and what to do next. */
export class Failure extends Error {
  readonly ending: Ending
  /** Stable, for scripts. */
  readonly code: string
  /** The next step, one sentence. */
  readonly hint: string | undefined
  /** What else a script may want, as JSON: fields of a refused body, the status of the answer. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    message: string,
    {
      ending = 'failed',
      code = ending,
      hint,
      details = {},
    }: {
      ending?: Ending
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

/** The command line cannot be understood. */
export const misused = (message: string, hint?: string) =>
  new Failure(message, { ending: 'usage', hint })
