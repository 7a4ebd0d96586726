import type { UserRow } from '../../db/schema.ts'
import type { Mail } from './mailer.ts'

/** URLs in mails. */

export interface MailUrls {
  /** URL of this server, without a trailing slash. */
  publicUrl: string
  /** URL of the pages for browsers. */
  uiUrl: string
}
type Reader = Pick<UserRow, 'id' | 'username' | 'email'>

export function verificationMail(
  { username, email }: Reader,
  key: string,
  { publicUrl }: MailUrls,
): Mail {
  const text = `Hello ${username},

please confirm that this is your e-mail address by opening this address within three days:

${publicUrl}/api/auth/account-confirm-email/${key}

Whoever did not register at ${publicUrl} may ignore this mail.
`
  return { to: email, subject: 'Confirm your e-mail address', text }
}

export function resetMail(
  { id, username, email }: Reader,
  token: string,
  { uiUrl }: MailUrls,
): Mail {
  const text = `Hello ${username},

somebody, you we hope, asked for a new password. Choose one within three days at:

${uiUrl}/auth/password/reset/confirm?uid=${id}&token=${token}

Nothing has changed yet: whoever did not ask for this may ignore this mail.
`
  return { to: email, subject: 'Choose a new password', text }
}
