import type { Translation, Translations } from '../dialect.ts'

/** Dates of expiry are moments, as all others. */
const timed: Translation = { input: (input) => ({ ...input, with_time: true }) }

export const tokens: Translations = {
  listAccessTokens: timed,
  createAccessToken: timed,
  getCurrentAccessToken: timed,
  getAccessToken: timed,
  updateAccessToken: timed,
}
