import type { identity } from '@reticle/contracts/api/identity'
import type { Service } from '@reticle/kit'
import { change } from '@reticle/kit/db/change'
import { DomainError, invalid } from '@reticle/kit/errors'
import type { UserRow } from '../db/schema.ts'
import { readAuthorization } from './authorization.ts'
import type { IdentityDeps, IdentitySettings } from './deps.ts'
import type { Check } from './passwords/check.ts'
import {
  deleteLegacyToken,
  insertLegacyToken,
  replaceLegacyToken,
  updateLastLogin,
} from './repo.ts'
import { hashOf, newLegacyToken } from './secrets.ts'

/** Signing in and out with the deprecated token: `spec/api-workspace.md` 2.2. */
export function signInHandlers(
  { db, clock, settings }: IdentityDeps,
  check: Check,
): Pick<Service<typeof identity>, 'login' | 'logout'> {
  return {
    async login({ body }, context) {
      const name = body.username || body.email
      if (!name)
        throw invalid({ non_field_errors: 'Must include "username" or "email", and "password".' })
      const user = await check({ name, password: body.password, address: context.address ?? '' })
      if (!user) throw wrongPassword()
      assertMaySignIn(user, settings)

      const key = newLegacyToken()
      const token = { user_id: user.id, token_hash: hashOf(key), created_date: clock.now() }
      const stored = await change(db, context, async (tx) => {
        await updateLastLogin(tx, user.id, token.created_date)
        await insertLegacyToken(tx, token)
        return token.token_hash.toString('hex')
      })
      const first = Buffer.from(stored, 'hex')
      // Asked again: the first answer is lost, and its key with it, which nobody has kept.
      if (!first.equals(token.token_hash)) await replaceLegacyToken(db, first, token)
      return { key }
    },

    async logout(_, { credential }) {
      const given = credential ? readAuthorization(credential) : undefined
      if (given?.kind === 'legacy') await deleteLegacyToken(db, hashOf(given.token))
      return { detail: 'Successfully logged out.' }
    },
  }
}

const wrongPassword = () =>
  new DomainError('unauthenticated', 'Unable to log in with provided credentials.', {
    code: 'invalid_credentials',
  })

/** Only who knows the password learns why it does not help. */
function assertMaySignIn(user: UserRow, { emailVerification }: IdentitySettings): void {
  if (!user.is_active) throw invalid({ non_field_errors: 'User account is disabled.' })
  if (emailVerification === 'mandatory' && !user.is_email_verified)
    throw new DomainError('invalid', 'Unverified email', { code: 'email_unverified' })
}
