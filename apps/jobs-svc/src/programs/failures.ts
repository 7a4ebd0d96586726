/** What a program reads, as the person who sent it knows it. */
export interface ReadFile {
  name: string
}

/** What is thrown when a program comes to a bad end. Messages name the file and never a path. */
export interface Failures {
  /** It could not be started; `why` is for people who run the service. */
  unstarted: (file: ReadFile, why: string) => Error
  /** Others killed it, and it may be asked again. */
  killed: (file: ReadFile) => Error
  tooLong: (file: ReadFile) => Error
  tooMuchMemory: (file: ReadFile) => Error
  /** It crashed. */
  broken: (file: ReadFile, killer: NodeJS.Signals) => Error
  /** It gave up, or its answer is not understood; `said` is for the log and may name paths. */
  unreadable: (file: ReadFile, said?: string) => Error
}
