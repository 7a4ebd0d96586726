import { pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { withKnownFields } from './known-fields.ts'

const invitation = withKnownFields('invitation')

export const invitations: Translations = {
  listInvitations: pageAnswer(invitation),
  createInvitation: recordAnswer(invitation),
  getInvitation: recordAnswer(invitation),
}
