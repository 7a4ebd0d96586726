import { DomainError } from '@reticle/kit/errors'
import type { IdentityDeps } from '../deps.ts'
import type { Mail } from './mailer.ts'

/** Handing mails over, for everything in this room that sends some. */
export interface Post {
  /** @throws DomainError unavailable where nothing was set up that sends mails */
  assertOpen(): void
  /** Nobody waits for it: how long a mail takes tells nothing about who has an account. */
  send(mail: Mail): void
  /** Mails stay on the server: an administrator hands them over. */
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
