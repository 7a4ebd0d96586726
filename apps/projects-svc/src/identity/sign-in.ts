import type { identity } from '@reticle/contracts/api/identity'
import { loginRejected, userSignedIn, userSignedOut } from '@reticle/contracts/events/users'
import type { CallContext, Service } from '@reticle/kit'
import { DomainError, invalid } from '@reticle/kit/call/errors'
import { runChange } from '@reticle/kit/db/change'
import { emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { ProjectsDb, UserRow } from '../db/schema.ts'
import { readAuthorization } from './authorization.ts'
import type { IdentityDeps } from './deps.ts'
import { sendVerification } from './mail/verify-email.ts'
import { toPrincipal } from './messages.ts'
import { nameTried } from './passwords/attempts.ts'
import type { Check } from './passwords/check.ts'
import {
  deleteLegacyToken,
  deleteLegacyTokens,
  insertLegacyToken,
  lockUser,
  replaceLegacyToken,
  updateLastLogin,
} from './repo.ts'
import { hashOf, newLegacyToken, newSession } from './secrets.ts'
import { expiryFrom } from './sessions/life.ts'
import { deleteSession, insertSession, replaceSession } from './sessions/repo.ts'

/** Builds the handlers of signing in and out by password. A session and the deprecated token start and end together. */
export function signInHandlers(
  deps: IdentityDeps,
  check: Check,
): Pick<Service<typeof identity>, 'signIn' | 'signOut'> {
  const { db, clock, settings } = deps
  return {
    async signIn({ body }, context) {
      const name = body.username || body.email
      if (!name)
        throw invalid({ non_field_errors: 'Must include "username" or "email", and "password".' })
      const user = await check({ name, password: body.password, cause: context })
      if (!user) throw wrongPassword()
      const why = whyNot(user, settings)
      if (why) throw await rejected(deps, user, { name, why }, context)

      const { key, session, rows } = newSignIn(user.id, clock.now())
      const first = await runChange(db, context, async (tx) => {
        await updateLastLogin(tx, user.id, rows.token.created_date)
        const session_id = await insertSession(tx, rows.session)
        await insertLegacyToken(tx, { ...rows.token, session_id })
        const cause = { ...context, principal: toPrincipal(user) }
        await emit(tx, userSignedIn, { user_id: user.id }, cause)
        return { token: hex(rows.token), session: hex(rows.session) }
      })
      // A repeated call: the first response is lost, and its secrets are not stored, so new ones replace them.
      if (first.token !== hex(rows.token)) {
        await replaceLegacyToken(db, Buffer.from(first.token, 'hex'), rows.token)
        await replaceSession(db, Buffer.from(first.session, 'hex'), rows.session)
      }
      return { key, session }
    },

    async signOut({ session }, context) {
      const { principal, credential } = context
      const given = credential ? readAuthorization(credential) : undefined
      const isEnding = given?.kind === 'legacy' || session !== undefined
      return runChange(db, context, async (tx) => {
        if (principal && isEnding) await emitSignedOut(tx, principal.user_id, context)
        if (given?.kind === 'legacy') await deleteLegacyToken(tx, hashOf(given.token))
        if (principal?.session_id !== undefined) await deleteLegacyTokens(tx, principal.user_id)
        if (principal && session !== undefined)
          await deleteSession(tx, { user_id: principal.user_id, token_hash: hashOf(session) })
        return { detail: 'Successfully logged out.' }
      })
    },
  }
}

/** Returns new secrets and the rows stored for them. */
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

async function emitSignedOut(tx: Transaction<ProjectsDb>, user_id: number, context: CallContext) {
  if (await lockUser(tx, user_id)) await emit(tx, userSignedOut, { user_id }, context)
}

type Obstacle = 'disabled' | 'unverified_email'

function whyNot(
  { is_active, is_email_verified }: UserRow,
  { emailVerification }: IdentityDeps['settings'],
): Obstacle | undefined {
  if (!is_active) return 'disabled'
  return emailVerification === 'mandatory' && !is_email_verified ? 'unverified_email' : undefined
}

/**
 * Returns the error of a blocked sign-in after the right password, so that only the user learns the reason. An
 * unverified user gets the verification mail again.
 */
async function rejected(
  deps: IdentityDeps,
  user: UserRow,
  { name, why }: { name: string; why: Obstacle },
  context: CallContext,
): Promise<DomainError> {
  const data = { username: nameTried(name), user_id: user.id, reason: why }
  await deps.db.transaction().execute(async (tx) => {
    if (await lockUser(tx, user.id)) await emit(tx, loginRejected, data, context)
  })
  if (why === 'disabled') return invalid({ non_field_errors: 'User account is disabled.' })
  if (deps.mailer) await sendVerification(deps, user, context)
  return new DomainError('invalid', 'Unverified email', { code: 'email_unverified' })
}
