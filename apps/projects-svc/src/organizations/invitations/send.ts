import type { Invitation } from '@reticle/contracts/rest/organizations'
import { type Invitee, type Mail, postOf } from '../../identity/index.ts'
import type { OrganizationDeps } from '../deps.ts'

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

/** Content of a mail about an invitation. User names and slugs contain only letters, digits and a few signs. */
interface Letter {
  organization: string
  role: string
  /** Null: the account of the sender was deleted. */
  sender: string | null
  link: string
  days: number
}

function invitationMail(
  { email, username, is_registered }: Invitee,
  { organization, role, sender, link, days }: Letter,
): Mail {
  const account = is_registered
    ? `You sign in there as ${username}.`
    : 'You have no account there yet: register with this e-mail address first, the invitation waits for you.'
  const text = `Hello,

${sender ?? 'somebody'} invites you into the organization "${organization}" as ${role}. Accept or decline within ${days === 1 ? 'a day' : `${days} days`} at:

${link}

${account}

Whoever does not know what this is about may ignore this mail.
`
  return { to: email, subject: `Invitation into the organization ${organization}`, text }
}
