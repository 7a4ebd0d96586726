import type { Invitation } from '@reticle/contracts/rest/organizations'
import { type Invitee, postOf } from '../../identity/index.ts'
import type { OrganizationDeps } from '../deps.ts'
import { invitationMail } from './letter.ts'

/** What of an invitation its mail tells. */
export type Announced = Pick<Invitation, 'key' | 'role' | 'organization_info' | 'owner'>

/**
 * Tells somebody that they are invited, after it is committed: by mail; where nothing sends mails, or there is no address,
 * whoever runs this finds the link in the log and hands it over (`spec/api-workspace.md` 3.3).
 */
export function inviting({
  settings,
  log,
  mailer,
  onMailLost,
}: Pick<OrganizationDeps, 'settings' | 'log' | 'mailer' | 'onMailLost'>) {
  const post = postOf({ mailer, onMailLost })
  return ({ key, role, organization_info, owner }: Announced, invitee: Invitee | null): void => {
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
