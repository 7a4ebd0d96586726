/** One mail, as text. */
export interface Mail {
  to: string
  subject: string
  text: string
}

/**
 * Where mails go. Resolves when the mail was taken over. A mail that is lost is asked for again by its reader, so nothing is
 * kept to be sent later: mails hold keys.
 */
export interface Mailer {
  send(mail: Mail): Promise<void>
}
