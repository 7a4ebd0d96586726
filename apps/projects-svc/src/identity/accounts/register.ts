import type { identity } from '@reticle/contracts/api/identity'
import { userCreated } from '@reticle/contracts/events/users'
import type { CallContext, Service } from '@reticle/kit'
import { forbidden, invalid } from '@reticle/kit/call/errors'
import { runChange } from '@reticle/kit/db/change'
import { emit } from '@reticle/kit/outbox/emit'
import type { Insertable, Transaction } from 'kysely'
import { missingField } from '../../bodies/field-error.ts'
import type { ProjectsDb, UserRow, UsersTable } from '../../db/schema.ts'
import type { IdentityDeps, IdentitySettings } from '../deps.ts'
import type { Mail } from '../mail/mailer.ts'
import { postOf } from '../mail/post.ts'
import { verificationMailFor } from '../mail/verify-email.ts'
import { toPrincipal, toUser } from '../messages.ts'
import { hashPassword } from '../passwords/hash.ts'
import { badPassword, type PasswordOwner, passwordProblems } from '../passwords/rules.ts'
import { insertLegacyToken, replaceLegacyToken } from '../repo.ts'
import { hashOf, newLegacyToken, newSession } from '../secrets.ts'
import { expiryFrom } from '../sessions/life.ts'
import { insertSession } from '../sessions/repo.ts'
import { insertNamed } from '../users.ts'
import { assertFree, orTaken } from './names.ts'
import { lockAccounts, lockPlaceholder, updateAccount } from './repo.ts'

type Given = Parameters<Service<typeof identity>['register']>[0]['body']

/**
 * Builds the handler of registration. Users create their own account, administrators those of others
 * (`docs/spec/access.md#sign-in-and-registration`).
 */
export function registrationHandlers(
  deps: IdentityDeps,
): Pick<Service<typeof identity>, 'register'> {
  const { db, clock, settings } = deps
  const needsNoMail = settings.emailVerification === 'none'
  const post = postOf(deps)

  return {
    async register({ body }, context) {
      const byAdministrator = isAdministrator(context)
      if (!settings.registration && !byAdministrator) throw forbidden(registrationClosed)
      if (!needsNoMail) post.assertOpen()
      const person = personOf(body)
      assertWelcome(person, body, settings)
      const password_hash = await hashPassword(body.password1)
      const key = newLegacyToken()
      const token = { token_hash: hashOf(key), created_date: clock.now() }
      let mail: Mail | undefined

      const made = await runChange(db, context, async (tx) => {
        await lockAccounts(tx)
        const user = await settle(tx, {
          ...person,
          password_hash,
          role: settings.defaultRole,
          date_joined: clock.now(),
          // An administrator confirms the address when verification mails are off.
          is_email_verified: byAdministrator && needsNoMail && person.email !== '',
        })
        const cause = byAdministrator ? context : { ...context, principal: toPrincipal(user) }
        await emit(tx, userCreated, { user: toUser(user) }, cause)
        if (needsNoMail) await beginSession(tx, { ...token, user_id: user.id })
        else mail = await verificationMailFor(tx, user, deps)
        return { id: user.id, token: token.token_hash.toString('hex') }
      })
      if (mail) post.send(mail)
      const first = Buffer.from(made.token, 'hex')
      // A repeated call: the first response is lost, and its key is not stored, so the account gets a new key.
      if (needsNoMail && !first.equals(token.token_hash))
        await replaceLegacyToken(db, first, { ...token, user_id: made.id })
      return { ...person, email_verification_required: !needsNoMail, key: needsNoMail ? key : null }
    },
  }
}

/** Stores the key of a new account. Its session has no cookie: only the key uses it. */
async function beginSession(
  tx: Transaction<ProjectsDb>,
  token: { user_id: number; token_hash: Buffer; created_date: Date },
): Promise<void> {
  const { user_id, created_date } = token
  const token_hash = hashOf(newSession())
  const expiry_date = expiryFrom(created_date)
  const session_id = await insertSession(tx, { user_id, token_hash, created_date, expiry_date })
  await insertLegacyToken(tx, { ...token, session_id })
}

/**
 * Creates the account. For an invited address it completes the account created by the invitation, which keeps its
 * invitations.
 */
async function settle(
  tx: Transaction<ProjectsDb>,
  columns: Insertable<UsersTable>,
): Promise<UserRow> {
  const invited = columns.email === '' ? undefined : await lockPlaceholder(tx, columns.email)
  if (!invited) return insertNamed(tx, columns)
  await assertFree(tx, columns, invited.id)
  return orTaken(updateAccount(tx, invited.id, columns))
}

const registrationClosed =
  'Registration is closed on this server. An administrator makes accounts; RETICLE_PROJECTS_REGISTRATION=true opens registration.'

/** Access tokens may not manage accounts. */
const isAdministrator = ({ principal }: Pick<CallContext, 'principal'>): boolean =>
  principal?.role === 'admin' && !principal.token

function personOf({ username, email = '', first_name = '', last_name = '' }: Given): PasswordOwner {
  return { username, email: email.toLowerCase(), first_name, last_name }
}

/** Checks the fields of a registration. @throws DomainError invalid naming the field */
function assertWelcome(
  person: PasswordOwner,
  { password1, password2 }: Given,
  { emailVerification }: IdentitySettings,
): void {
  if (emailVerification === 'mandatory' && person.email === '') throw missingField(['email'])
  const problems = passwordProblems(password1, person)
  if (problems.length > 0) throw badPassword('password1', problems)
  if (password1 !== password2)
    throw invalid({ non_field_errors: "The two password fields didn't match." })
}
