import { invalid } from '@reticle/kit/call/errors'
import { fromDatabase, type Violations } from '@reticle/kit/db/errors'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../../db/schema.ts'
import { isNameTaken } from './repo.ts'

/** User names and e-mails are unique without regard to case. */

const nameTaken = 'A user with that username already exists.'
const emailTaken = 'A user is already registered with this e-mail address.'

/** Errors of the unique indexes when two users take a name at the same time. */
const violations: Violations = {
  users_username_key: { field: 'username', text: nameTaken },
  users_email_key: { field: 'email', text: emailTaken },
}

/**
 * Runs a statement that sets names.
 *
 * @throws DomainError invalid naming the field that another user took concurrently
 */
export async function orTaken<R>(statement: Promise<R>): Promise<R> {
  try {
    return await statement
  } catch (thrown) {
    throw fromDatabase(thrown, violations) ?? thrown
  }
}

/**
 * Checks that the names are free. No user name may equal the e-mail of another user, because both are names to sign
 * in with.
 *
 * @param but user who gets the names and may have them already
 * @throws DomainError invalid naming every field that is taken
 */
export async function assertFree(
  db: Kysely<ProjectsDb>,
  { username, email }: { username?: string; email?: string },
  but?: number,
): Promise<void> {
  const wrong: Record<string, string> = {}
  if (username !== undefined && (await isNameTaken(db, username, but))) wrong.username = nameTaken
  if (email && (await isNameTaken(db, email, but))) wrong.email = emailTaken
  if (Object.keys(wrong).length > 0) throw invalid(wrong)
}
