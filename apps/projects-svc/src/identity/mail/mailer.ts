/** Mail as plain text. */
export interface Mail {
  to: string
  subject: string
  text: string
}

/**
 * Port that sends mails. `send` resolves when the server has accepted the mail. Mails contain keys, so none is stored
 * for later; a user who lacks a mail requests it again.
 */
export interface Mailer {
  /** @throws MailRefused, or any other error; also when the signal aborts */
  send(mail: Mail, signal?: AbortSignal): Promise<void>
  /** Mails stay on the server, and an administrator forwards them. */
  keepsMails?: boolean
}

/** Error of a mail that the server did not accept. It contains no address, so that it can be logged. */
export class MailRefused extends Error {
  /** Whether another attempt would fail in the same way. */
  readonly isFinal: boolean

  constructor(message: string, isFinal: boolean) {
    super(message)
    this.isFinal = isFinal
  }
}
