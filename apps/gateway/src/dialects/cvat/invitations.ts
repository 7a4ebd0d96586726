import { invitation } from '@reticle/contracts/dialects/cvat/records'
import { pageAnswer, recordAnswer, type Translations } from '../dialect.ts'

export const invitations: Translations = {
  listInvitations: pageAnswer(invitation),
  createInvitation: recordAnswer(invitation),
  getInvitation: recordAnswer(invitation),
}
