import { DomainError } from '@reticle/kit/call/errors'
import type { IdentityDeps } from '../deps.ts'
import type { Mail } from './mailer.ts'

/** Access to the mailer for the handlers of this folder. */
export interface Post {
  /** @throws DomainError unavailable when no mailer is configured */
  assertOpen(): void
  /** Sends without waiting: the duration must not reveal whether an account exists. */
  send(mail: Mail): void
  /** Mails stay on the server, and an administrator forwards them. */
  keepsMails: boolean
}

export function postOf({ mailer, onMailLost }: Pick<IdentityDeps, 'mailer' | 'onMailLost'>): Post {
  return {
    keepsMails: mailer?.keepsMails === true,
    assertOpen() {
      if (!mailer) throw notConfigured()
    },
    send(mail) {
      mailer?.send(mail).catch((thrown: unknown) => onMailLost?.(thrown))
    },
  }
}

const notConfigured = () =>
  new DomainError(
    'unavailable',
    'This installation sends no mails. Ask an administrator to set up a mail server.',
    {
      code: 'email_not_configured',
    },
  )
