import type { ConnectionOptions } from 'node:tls'
import { createTransport } from 'nodemailer'
import type { ProjectsSettings } from '../../config.ts'
import { type Mailer, MailRefused } from './mailer.ts'

/** Of one mail, from the first look for the server to its answer. */
const longestMs = 30_000

export interface SmtpOptions {
  timeoutMs?: number
  /** Whom to trust, beside those that Node trusts. */
  tls?: ConnectionOptions
}

/**
 * Mails by a server that takes them over (SMTP): a connection each, which ends after 30 seconds whatever the server does. What
 * it throws names neither the reader nor the account.
 */
export function smtpMailer(
  { server, from }: NonNullable<ProjectsSettings['mail']>,
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
        from: { ...from }, // the library writes into it
        to: { name: '', address: to }, // no list of addresses, whatever is in it
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

/** Codes and numbers only: sentences of servers repeat addresses. */
function refusal(thrown: unknown): MailRefused {
  const { code, responseCode } = thrown instanceof Error ? detailsOf(thrown) : {}
  const answer = Number(responseCode)
  // 5yz is the server's last word on a mail (RFC 5321), but not on an order of commands or an account.
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
