import type { identity } from '@reticle/contracts/api/identity'
import type { Service } from '@reticle/kit'
import { invalid } from '@reticle/kit/call/errors'
import { runChange } from '@reticle/kit/db/change'
import { networkOf } from '@reticle/kit/net/network'
import type { Transaction } from 'kysely'
import type { ProjectsDb, UserRow } from '../../db/schema.ts'
import type { IdentityDeps } from '../deps.ts'
import { issueKey } from '../mail/keys.ts'
import { resetMail } from '../mail/letters.ts'
import type { Mail } from '../mail/mailer.ts'
import { postOf } from '../mail/post.ts'
import { findKeyHolder, findUserByEmail } from '../mail/repo.ts'
import { lockUser, replacePasswordHash } from '../repo.ts'
import { hashOf } from '../secrets.ts'
import { endSignIns } from '../sessions/end-sign-ins.ts'
import { rememberOrigin } from './attempts.ts'
import { assertNewPassword } from './change.ts'
import { hashPassword } from './hash.ts'

type Reset = Pick<Service<typeof identity>, 'resetPassword' | 'confirmPasswordReset'>

/** Same text for every address, so that it does not reveal accounts. */
const linkIsKept =
  'This server sends no e-mails. Ask an administrator: the link to choose a new password was stored on the server, and an administrator hands it over.'

/** Builds the handlers that replace a forgotten password. */
export function resetHandlers(deps: IdentityDeps): Reset {
  const { db, clock, settings } = deps
  const post = postOf(deps)

  return {
    async resetPassword({ body }, context) {
      post.assertOpen()
      let mail: Mail | undefined
      await runChange(db, context, async (tx) => {
        const user = await findUserByEmail(tx, body.email)
        // An account without a password belongs to an invited user, who has to register.
        if (!user?.is_active || user.password_hash === '') return
        if (!(await lockUser(tx, user.id))) return
        mail = resetMail(user, await issueKey(tx, user, 'password', clock.now()), settings)
      })
      if (mail) post.send(mail)
      return { detail: post.keepsMails ? linkIsKept : 'Password reset e-mail has been sent.' }
    },

    async confirmPasswordReset({ body }, context) {
      return runChange(db, context, async (tx) => {
        const user = await holderOf(tx, body, clock.now())
        assertNewPassword(body, user)
        await replacePasswordHash(tx, user, await hashPassword(body.new_password1))
        await endSignIns(tx, user.id)
        await rememberOrigin(tx, user.id, networkOf(context.address ?? ''), clock.now())
        return { detail: 'Password has been reset with the new password.' }
      })
    },
  }
}

/** Returns the recipient of the mail, locked, so that the key works once. */
async function holderOf(
  tx: Transaction<ProjectsDb>,
  { uid, token }: { uid: string; token: string },
  now: Date,
): Promise<UserRow> {
  const user = /^[1-9]\d{0,8}$/.test(uid) ? await lockUser(tx, Number(uid)) : undefined
  if (!user?.is_active) throw invalid({ uid: 'Invalid value' })
  const holder = await findKeyHolder(tx, { key_hash: hashOf(token), purpose: 'password' }, now)
  if (holder !== user.id) throw invalid({ token: 'Invalid value' })
  return user
}
