import { pageAnswer, recordAnswer, type Translation, type Translations } from '../dialect.ts'
import { withKnownFields } from './known-fields.ts'

/** Dates of expiry are moments, as all others. */
const timed: Translation = { input: (input) => ({ ...input, with_time: true }) }

const token = recordAnswer(withKnownFields('token'))

export const tokens: Translations = {
  listAccessTokens: { ...timed, ...pageAnswer(withKnownFields('token')) },
  createAccessToken: { ...timed, ...token },
  getCurrentAccessToken: { ...timed, ...token },
  getAccessToken: { ...timed, ...token },
  updateAccessToken: { ...timed, ...token },
}
