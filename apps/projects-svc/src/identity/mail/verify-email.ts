import type { identity } from '@reticle/contracts/api/identity'
import type { CallContext, Service } from '@reticle/kit'
import { invalid, notFound } from '@reticle/kit/call/errors'
import { runChange } from '@reticle/kit/db/change'
import type { Kysely } from 'kysely'
import type { ProjectsDb, UserRow } from '../../db/schema.ts'
import type { IdentityDeps } from '../deps.ts'
import { lockUser } from '../repo.ts'
import { hashOf } from '../secrets.ts'
import { issueKey } from './keys.ts'
import { verificationMail } from './letters.ts'
import type { Mail } from './mailer.ts'
import { postOf } from './post.ts'
import { deleteKeys, findKeyHolder, findUserByEmail, verifyEmailOf } from './repo.ts'

type Verification = Pick<Service<typeof identity>, 'verifyEmail' | 'resendEmail' | 'confirmEmail'>

/** Builds the handlers of e-mail verification. */
export function verificationHandlers(deps: IdentityDeps): Verification {
  const { db, clock, settings } = deps
  const isOn = settings.emailVerification === 'mandatory'

  /** Uses up a key. Returns false when the key is invalid or expired. */
  const verified = (key: string, context: CallContext) =>
    runChange(db, context, async (tx) => {
      const wanted = { key_hash: hashOf(key), purpose: 'email' } as const
      const id = await findKeyHolder(tx, wanted, clock.now())
      const user = id === undefined ? undefined : await lockUser(tx, id)
      if (!user || (await findKeyHolder(tx, wanted, clock.now())) === undefined) return false
      await deleteKeys(tx, user.id, 'email')
      await verifyEmailOf(tx, user.id)
      return true
    })

  return {
    async verifyEmail({ body }, context) {
      if (!(await verified(body.key, context))) throw invalid({ key: 'Invalid value' })
      return { detail: 'ok' }
    },

    async resendEmail({ body }, context) {
      if (isOn) postOf(deps).assertOpen()
      const user = isOn ? await findUserByEmail(db, body.email) : undefined
      const isRegistered = user?.is_active && user.password_hash !== ''
      if (isRegistered) await sendVerification(deps, user, context)
      return { detail: 'Verification e-mail has been sent.' }
    },

    async confirmEmail({ key }, context) {
      if (!isOn) throw notFound()
      const page = (await verified(key, context))
        ? 'email-confirmation'
        : 'incorrect-email-confirmation'
      return { location: `${settings.uiUrl}/auth/${page}` }
    },
  }
}

/** Sends a key to an unverified e-mail. */
export async function sendVerification(
  deps: IdentityDeps,
  { id }: Pick<UserRow, 'id'>,
  context: CallContext,
): Promise<void> {
  let mail: Mail | undefined
  await runChange(deps.db, context, async (tx) => {
    const user = await lockUser(tx, id)
    if (user && !user.is_email_verified && user.email !== '')
      mail = await verificationMailFor(tx, user, deps)
  })
  if (mail) postOf(deps).send(mail)
}

export async function verificationMailFor(
  tx: Kysely<ProjectsDb>,
  user: UserRow,
  { clock, settings }: IdentityDeps,
): Promise<Mail> {
  return verificationMail(user, await issueKey(tx, user, 'email', clock.now()), settings)
}
