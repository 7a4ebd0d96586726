import { readConfig, type Settings } from '../config.ts'

/** The defaults, but for what is given. */
export const settingsOf = (given: Partial<Settings> = {}): Settings => ({
  ...readConfig({}),
  ...given,
})
