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
