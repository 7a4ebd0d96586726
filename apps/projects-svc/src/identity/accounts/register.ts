import type { identity } from '@reticle/contracts/api/identity'
import type { Service } from '@reticle/kit'
import { change } from '@reticle/kit/db/change'
import { forbidden, invalid } from '@reticle/kit/errors'
import { missingField } from '../../field-error.ts'
import type { IdentityDeps, IdentitySettings } from '../deps.ts'
import type { Mail } from '../mail/mailer.ts'
import { postOf } from '../mail/post.ts'
import { verificationMailFor } from '../mail/verify-email.ts'
import { hashPassword } from '../passwords/hash.ts'
import { badPassword, type Owner, passwordProblems } from '../passwords/rules.ts'
import { insertLegacyToken, replaceLegacyToken } from '../repo.ts'
import { hashOf, newLegacyToken } from '../secrets.ts'
import { insertNamed } from '../users.ts'
import { lockAccounts } from './repo.ts'

type Given = Parameters<Service<typeof identity>['register']>[0]['body']

/** Making an account of one's own: `spec/api-workspace.md` 2.2. */
export function registrationHandlers(
  deps: IdentityDeps,
): Pick<Service<typeof identity>, 'register'> {
  const { db, clock, settings } = deps
  const isVerified = settings.emailVerification === 'none'
  const post = postOf(deps)

  return {
    async register({ body }, context) {
      if (!settings.registration)
        throw forbidden('Registration is closed. Ask an administrator for an account.')
      if (!isVerified) post.assertOpen()
      const person = personOf(body)
      assertWelcome(person, body, settings)
      const password_hash = await hashPassword(body.password1)
      const key = newLegacyToken()
      const token = { token_hash: hashOf(key), created_date: clock.now() }
      let mail: Mail | undefined

      const made = await change(db, context, async (tx) => {
        await lockAccounts(tx)
        const role = settings.defaultRole
        const user = await insertNamed(tx, { ...person, password_hash, role })
        if (isVerified) await insertLegacyToken(tx, { ...token, user_id: user.id })
        else mail = await verificationMailFor(tx, user, deps)
        return { id: user.id, token: token.token_hash.toString('hex') }
      })
      if (mail) post.send(mail)
      const first = Buffer.from(made.token, 'hex')
      // Asked again: the first answer is lost, and its key with it, which nobody has kept.
      if (isVerified && !first.equals(token.token_hash))
        await replaceLegacyToken(db, first, { ...token, user_id: made.id })
      return { ...person, email_verification_required: !isVerified, key: isVerified ? key : null }
    },
  }
}

function personOf({ username, email = '', first_name = '', last_name = '' }: Given): Owner {
  return { username, email: email.toLowerCase(), first_name, last_name }
}

/** @throws DomainError invalid naming the field */
function assertWelcome(
  person: Owner,
  { password1, password2 }: Given,
  { emailVerification }: IdentitySettings,
): void {
  if (emailVerification === 'mandatory' && person.email === '') throw missingField(['email'])
  const problems = passwordProblems(password1, person)
  if (problems.length > 0) throw badPassword('password1', problems)
  if (password1 !== password2)
    throw invalid({ non_field_errors: "The two password fields didn't match." })
}
