import { type JobsSettings, readConfig } from '../config.ts'

/** Returns the default settings with the given differences. */
export const settingsOf = (given: Partial<JobsSettings> = {}): JobsSettings => ({
  ...readConfig({}),
  ...given,
})
