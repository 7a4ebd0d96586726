import { type JobsSettings, readConfig } from '../config.ts'

/** Returns the default settings with the given differences. */
export const settingsOf = (overrides: Partial<JobsSettings> = {}): JobsSettings => ({
  ...readConfig({}),
  ...overrides,
})
