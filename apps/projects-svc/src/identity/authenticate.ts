import type { identity } from '@reticle/contracts/api/identity'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { Service } from '@reticle/kit'
import { unauthenticated } from '@reticle/kit/call/errors'
import type { EventCause } from '@reticle/kit/outbox/emit'
import type { UserRow } from '../db/schema.ts'
import { findTokenAndUser, type TokenOfUser, updateLastUsed } from './access-tokens/repo.ts'
import { type Authorization, invalidToken, readAuthorization } from './authorization.ts'
import type { IdentityDeps } from './deps.ts'
import { toPrincipal } from './messages.ts'
import type { Check } from './passwords/check.ts'
import { findUserByLegacyToken } from './repo.ts'
import { hashOf } from './secrets.ts'
import { userDeleted } from './self.ts'
import { expiryFrom, isToBeRenewed, lifeBefore } from './sessions/life.ts'
import { findSessionAndUser, updateSessionExpiry } from './sessions/repo.ts'

type Basic = Extract<Authorization, { kind: 'basic' }>

const usesNotedEveryMs = 2 * 3_600_000

/**
 * Builds the handler that authenticates an `Authorization` header or a session cookie. Every failure is
 * `unauthenticated` or `too_many` (`docs/spec/access.md#authentication`).
 */
export function authenticateHandler(
  { db, clock, settings }: IdentityDeps,
  checkCached: Check,
): Pick<Service<typeof identity>, 'authenticate'> {
  async function byAccessToken(token: string) {
    const usability = { now: clock.now(), staleDays: settings.accessTokenStaleDays }
    const found = await findTokenAndUser(db, hashOf(token), usability)
    if (!found) throw invalidToken()
    const user = active(found.user)
    if (isNoted(found.token, usability.now)) await updateLastUsed(db, found.token.id, usability.now)
    const { id, read_only, dialect } = found.token
    return { principal: toPrincipal(user, { id, read_only }), is_deprecated: false, dialect }
  }

  async function byLegacyToken(token: string): Promise<Principal> {
    const now = clock.now()
    const found = await findUserByLegacyToken(db, hashOf(token), { now, since: lifeBefore(now) })
    if (!found) throw invalidToken()
    const { user, session } = found
    const principal = toPrincipal(active(user))
    // Its use extends the session, as the use of the cookie does.
    if (session && isToBeRenewed(session, now))
      await updateSessionExpiry(db, session.id, expiryFrom(now))
    return principal
  }

  async function byPassword({ username, password }: Basic, cause: EventCause): Promise<Principal> {
    const user = await checkCached({ name: username, password, cause })
    if (!user) throw unauthenticated('Invalid username/password.')
    if (settings.emailVerification === 'mandatory' && !user.is_email_verified)
      throw unauthenticated('E-mail is not verified.')
    return toPrincipal(active(user))
  }

  async function bySession(value: string) {
    const now = clock.now()
    const found = await findSessionAndUser(db, hashOf(value), now)
    if (!found) throw unauthenticated('The session has ended. Sign in again.')
    const { user, session } = found
    const principal = { ...toPrincipal(active(user)), session_id: session.id }
    const is_renewed = isToBeRenewed(session, now)
    if (is_renewed) await updateSessionExpiry(db, session.id, expiryFrom(now))
    return { principal, is_deprecated: false, is_renewed }
  }

  return {
    async authenticate({ authorization, session, address }, context) {
      if (authorization === undefined && session !== undefined) return bySession(session)
      const given = readAuthorization(authorization ?? '')
      switch (given.kind) {
        case 'access':
          return byAccessToken(given.token)
        case 'legacy':
          return { principal: await byLegacyToken(given.token), is_deprecated: true }
        case 'basic':
          return {
            principal: await byPassword(given, { ...context, address }),
            is_deprecated: false,
          }
      }
    },
  }
}

function active(user: UserRow): UserRow {
  if (!user.is_active) throw userDeleted()
  return user
}

/** Limits writes: the stored time of use is precise to hours, not seconds. */
function isNoted({ last_used_date }: TokenOfUser, now: Date): boolean {
  return !last_used_date || now.getTime() - last_used_date.getTime() >= usesNotedEveryMs
}
