import type { ConnectionOptions } from 'node:tls'
import { createTransport } from 'nodemailer'
import { type Mailer, MailRefused } from './mailer.ts'

/** Limit of one mail in milliseconds, from the DNS lookup to the response. */
const longestMs = 30_000

/** SMTP server and sender of mails. */
export interface SmtpSettings {
  server: {
    host: string
    port: number
    secure: boolean
    requireTLS: boolean
    auth?: { user: string; pass: string }
  }
  from: { name: string; address: string }
}

export interface SmtpOptions {
  timeoutMs?: number
  /** Trusted authorities, in addition to those of Node. */
  tls?: ConnectionOptions
}

/**
 * Creates a mailer that sends through an SMTP server, with one connection a mail, which closes after 30 seconds in
 * any case. Its errors contain neither the recipient nor the account.
 */
export function smtpMailer(
  { server, from }: SmtpSettings,
  { timeoutMs = longestMs, tls }: SmtpOptions = {},
): Mailer {
  const limits = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, dnsTimeout: timeoutMs }
  const safety = { disableFileAccess: true, disableUrlAccess: true }
  const transport = createTransport({
    ...server,
    ...limits,
    socketTimeout: timeoutMs,
    ...safety,
    tls,
  })
  return {
    async send({ to, subject, text }, signal) {
      const timeout = AbortSignal.timeout(timeoutMs)
      const mail = {
        from: { ...from }, // the library modifies it
        to: { name: '', address: to }, // prevents parsing as a list of addresses
        subject,
        text,
        headers: { 'Auto-Submitted': 'auto-generated' },
        signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
      }
      await transport.sendMail(mail).catch((thrown: unknown) => {
        throw refusal(thrown)
      })
    },
  }
}

/** Keeps only codes, because texts of servers repeat addresses. */
function refusal(thrown: unknown): MailRefused {
  const { code, responseCode } = thrown instanceof Error ? detailsOf(thrown) : {}
  const answer = Number(responseCode)
  // 5yz is final for a mail (RFC 5321), but not for the order of commands or an account.
  const isFinal = answer >= 500 && answer < 600 && code === 'EENVELOPE'
  const words = [code ?? 'an unknown failure', ...(answer ? [`answer ${answer}`] : [])]
  return new MailRefused(`The mail server did not take a mail: ${words.join(', ')}.`, isFinal)
}

function detailsOf(error: Error): { code?: string; responseCode?: number } {
  const [code, responseCode] = [Reflect.get(error, 'code'), Reflect.get(error, 'responseCode')]
  return {
    code: typeof code === 'string' ? code : error.name,
    responseCode: typeof responseCode === 'number' ? responseCode : undefined,
  }
}
