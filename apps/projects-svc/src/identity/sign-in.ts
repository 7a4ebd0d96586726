import type { identity } from '@reticle/contracts/api/identity'
import type { Context, Service } from '@reticle/kit'
import { change } from '@reticle/kit/db/change'
import { DomainError, invalid } from '@reticle/kit/errors'
import type { UserRow } from '../db/schema.ts'
import { readAuthorization } from './authorization.ts'
import type { IdentityDeps } from './deps.ts'
import { sendVerification } from './mail/verify-email.ts'
import type { Check } from './passwords/check.ts'
import {
  deleteLegacyToken,
  deleteLegacyTokens,
  insertLegacyToken,
  replaceLegacyToken,
  updateLastLogin,
} from './repo.ts'
import { hashOf, newLegacyToken, newSession } from './secrets.ts'
import { expiryFrom } from './sessions/life.ts'
import { deleteSession, insertSession, replaceSession } from './sessions/repo.ts'

/** Signing in and out by password: `spec/api-workspace.md` 2.2. A session and the deprecated token come together. */
export function signInHandlers(
  deps: IdentityDeps,
  check: Check,
): Pick<Service<typeof identity>, 'signIn' | 'signOut'> {
  const { db, clock } = deps
  return {
    async signIn({ body }, context) {
      const name = body.username || body.email
      if (!name)
        throw invalid({ non_field_errors: 'Must include "username" or "email", and "password".' })
      const user = await check({ name, password: body.password, address: context.address ?? '' })
      if (!user) throw wrongPassword()
      await assertMaySignIn(user, deps, context)

      const { key, session, rows } = newSignIn(user.id, clock.now())
      const first = await change(db, context, async (tx) => {
        await updateLastLogin(tx, user.id, rows.token.created_date)
        await insertLegacyToken(tx, rows.token)
        await insertSession(tx, rows.session)
        return { token: hex(rows.token), session: hex(rows.session) }
      })
      // Asked again: the first answer is lost, and its secrets with it, which nobody has kept.
      if (first.token !== hex(rows.token)) {
        await replaceLegacyToken(db, Buffer.from(first.token, 'hex'), rows.token)
        await replaceSession(db, Buffer.from(first.session, 'hex'), rows.session)
      }
      return { key, session }
    },

    async signOut({ session }, context) {
      const { principal, credential } = context
      const given = credential ? readAuthorization(credential) : undefined
      return change(db, context, async (tx) => {
        if (given?.kind === 'legacy') await deleteLegacyToken(tx, hashOf(given.token))
        if (principal?.session_id !== undefined) await deleteLegacyTokens(tx, principal.user_id)
        if (principal && session !== undefined)
          await deleteSession(tx, { user_id: principal.user_id, token_hash: hashOf(session) })
        return { detail: 'Successfully logged out.' }
      })
    },
  }
}

/** Fresh secrets, and what is stored of them. */
function newSignIn(user_id: number, now: Date) {
  const key = newLegacyToken()
  const session = newSession()
  const common = { user_id, created_date: now }
  const rows = {
    token: { ...common, token_hash: hashOf(key) },
    session: { ...common, token_hash: hashOf(session), expiry_date: expiryFrom(now) },
  }
  return { key, session, rows }
}

const hex = ({ token_hash }: { token_hash: Buffer }) => token_hash.toString('hex')

const wrongPassword = () =>
  new DomainError('unauthenticated', 'Unable to log in with provided credentials.', {
    code: 'invalid_credentials',
  })

/** Only who knows the password learns why it does not help; a key that was never used is mailed once more. */
async function assertMaySignIn(user: UserRow, deps: IdentityDeps, context: Context): Promise<void> {
  if (!user.is_active) throw invalid({ non_field_errors: 'User account is disabled.' })
  if (deps.settings.emailVerification === 'none' || user.is_email_verified) return
  if (deps.mailer) await sendVerification(deps, user, context)
  throw new DomainError('invalid', 'Unverified email', { code: 'email_unverified' })
}
