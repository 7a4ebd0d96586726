import { type JobsSettings, readConfig } from '../config.ts'

/** The defaults, but for what is given. */
export const settingsOf = (given: Partial<JobsSettings> = {}): JobsSettings => ({
  ...readConfig({}),
  ...given,
})
