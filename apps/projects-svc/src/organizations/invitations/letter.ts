import type { Invitee, Mail } from '../../identity/index.ts'

/** Content of a mail about an invitation. User names and slugs contain only letters, digits and a few signs. */
export interface Letter {
  organization: string
  role: string
  /** Null: the account of the sender was deleted. */
  sender: string | null
  link: string
  days: number
}

export function invitationMail(
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
