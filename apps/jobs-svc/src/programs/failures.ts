/** File that a program reads, by the name that the user gave it. */
export interface ReadFile {
  name: string
}

/** Errors for the possible failures of a program. Messages contain the name of the file and never a path. */
export interface ProgramFailures {
  /** It could not be started; `why` is for operators. */
  unstarted: (file: ReadFile, why: string) => Error
  /** Another process killed it; a retry may succeed. */
  killed: (file: ReadFile) => Error
  tooLong: (file: ReadFile) => Error
  tooMuchMemory: (file: ReadFile) => Error
  /** It crashed. */
  broken: (file: ReadFile, killer: NodeJS.Signals) => Error
  /** It failed, or its output is invalid; `said` is for the log and may contain paths. */
  unreadable: (file: ReadFile, said?: string) => Error
}
