import type { Invitation } from '@reticle/contracts/rest/organizations'
import { type Invitee, postOf } from '../../identity/index.ts'
import type { OrganizationDeps } from '../deps.ts'
import { invitationMail } from './letter.ts'

/** Fields of an invitation that its mail contains. */
export type InvitationOfMail = Pick<Invitation, 'key' | 'role' | 'organization_info' | 'owner'>

/**
 * Returns a function that notifies an invited user after the commit, by mail. Without a mailer or an address the link
 * is logged, and the operator forwards it (`docs/spec/access.md#invitations`).
 */
export function createInvitationSender({
  settings,
  log,
  mailer,
  onMailLost,
}: Pick<OrganizationDeps, 'settings' | 'log' | 'mailer' | 'onMailLost'>) {
  const post = postOf({ mailer, onMailLost })
  return (
    { key, role, organization_info, owner }: InvitationOfMail,
    invitee: Invitee | null,
  ): void => {
    const link = `${settings.uiUrl}/invitations/${key}`
    const organization = organization_info.slug
    if (mailer && invitee?.email) {
      const sender = owner?.username ?? null
      const days = settings.invitationExpiryDays
      post.send(invitationMail(invitee, { organization, role, sender, link, days }))
    } else {
      log.info({ link, organization }, 'an invitation is to be handed over')
    }
  }
}
