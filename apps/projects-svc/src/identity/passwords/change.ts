import type { identity } from '@reticle/contracts/api/identity'
import { type CallContext, type Service, signedIn } from '@reticle/kit'
import { invalid, unauthenticated } from '@reticle/kit/call/errors'
import { changeAfter } from '@reticle/kit/db/change'
import type { UserRow } from '../../db/schema.ts'
import type { IdentityDeps } from '../deps.ts'
import { replacePasswordHash } from '../repo.ts'
import { selfOf } from '../self.ts'
import { endSignIns } from '../sessions/end-sign-ins.ts'
import type { Check } from './check.ts'
import { hashPassword } from './hash.ts'
import { badPassword, type PasswordOwner, passwordProblems } from './rules.ts'

type Given = Parameters<Service<typeof identity>['changePassword']>[0]['body']

/** Builds the handler that changes a password. */
export function passwordHandlers(
  { db }: Pick<IdentityDeps, 'db'>,
  check: Check,
): Pick<Service<typeof identity>, 'changePassword'> {
  /** Wrong old passwords count as failed sign-ins. */
  async function judged(body: Given, context: CallContext): Promise<UserRow> {
    const self = await selfOf(db, context)
    assertNewPassword(body, self)
    const guess = { name: self.username, password: body.old_password }
    const user = await check({ ...guess, cause: context })
    if (user?.id !== self.id) throw wrongOldPassword()
    return user
  }

  return {
    async changePassword({ body }, context) {
      const { token, session_id } = signedIn(context)
      if (token) throw unauthenticated('An access token may not change the password.')
      const prepare = async () => ({
        before: await judged(body, context),
        password_hash: await hashPassword(body.new_password1),
      })
      return changeAfter(db, context, prepare, async (tx, { before, password_hash }) => {
        const isReplaced = await replacePasswordHash(tx, before, password_hash)
        if (!isReplaced) throw wrongOldPassword()
        await endSignIns(tx, before.id, session_id)
        return { detail: 'New password has been saved.' }
      })
    },
  }
}

/**
 * Checks a new password and its repetition.
 *
 * @throws DomainError invalid under the field of the repetition, as existing clients expect
 */
export function assertNewPassword(
  { new_password1, new_password2 }: Pick<Given, 'new_password1' | 'new_password2'>,
  owner: PasswordOwner,
): void {
  if (new_password1 !== new_password2)
    throw invalid({ new_password2: 'The two password fields didn’t match.' })
  const problems = passwordProblems(new_password1, owner)
  if (problems.length > 0) throw badPassword('new_password2', problems)
}

const wrongOldPassword = () =>
  invalid({
    old_password: 'Your old password was entered incorrectly. Please enter it again.',
  })
