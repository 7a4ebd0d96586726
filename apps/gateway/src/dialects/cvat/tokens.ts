import { withKnownFields } from '@reticle/contracts/dialects/cvat/known-fields'
import { pageAnswer, recordAnswer, type Translation, type Translations } from '../dialect.ts'

/** In CVAT dates of expiry include the time. */
const timed: Translation = { input: (input) => ({ ...input, with_time: true }) }

const token = recordAnswer(withKnownFields('token'))

export const tokens: Translations = {
  listAccessTokens: { ...timed, ...pageAnswer(withKnownFields('token')) },
  createAccessToken: { ...timed, ...token },
  getCurrentAccessToken: { ...timed, ...token },
  getAccessToken: { ...timed, ...token },
  updateAccessToken: { ...timed, ...token },
}
