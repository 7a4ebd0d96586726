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
  /** @throws MailRefused, or whatever else went wrong; also when the signal fires */
  send(mail: Mail, signal?: AbortSignal): Promise<void>
  /** Mails stay on the server: an administrator hands them over. */
  keepsMails?: boolean
}

/** A mail was not taken over. Names nobody, so that it can be logged. */
export class MailRefused extends Error {
  /** Another attempt would end the same way. */
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean) {
    super(message)
    this.isFinal = isFinal
  }
}
