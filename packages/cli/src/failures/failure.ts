/** Exit codes of the program; documented in `docs/cli.md`, which a test compares. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  denied: 3,
  missing: 4,
  refused: 5,
  unavailable: 6,
  interrupted: 130,
} as const

export type ExitStatus = keyof typeof exitCodes

/** Descriptions of the exit codes, for the help and the documentation. */
export const endings: Readonly<Record<ExitStatus, string>> = {
  done: 'done',
  failed: 'failed: a refused value, a request that failed, a file that cannot be read',
  usage: 'the command line cannot be understood',
  denied: 'not signed in, or not permitted',
  missing: 'the object does not exist',
  refused: 'the state of the object or a limit does not allow it',
  unavailable: 'the server cannot be reached, or is unavailable',
  interrupted: 'interrupted (Ctrl-C); run the same command again to continue',
}

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
