import type { Principal } from '@reticle/contracts/rest/principal'
import { type UserPatch, userGroups } from '@reticle/contracts/rest/users'
import { invalid } from '@reticle/kit/call/errors'
import { changesTo } from '../../bodies/changes.ts'
import type { UserRow } from '../../db/schema.ts'
import { roleOf } from '../messages.ts'

/** Changes of an account by a PATCH. */

const shortestName = 5

/**
 * Action behind each key of the body: users change some keys of their own account, administrators those that grant
 * rights.
 */
export const rightOfKey: Readonly<Record<keyof UserPatch, string>> = {
  username: 'update',
  first_name: 'update',
  last_name: 'update',
  email: 'update rights',
  is_email_verified: 'update rights',
  groups: 'update rights',
  is_active: 'update rights',
  is_staff: 'update rights',
  is_superuser: 'update rights',
}

/**
 * Returns the columns that the body changes. A new e-mail is verified only when the body marks it as verified.
 *
 * @throws DomainError invalid when an empty e-mail is marked as verified, or two fields contradict each other
 */
export function accountChanges(
  before: UserRow,
  { groups, is_staff, is_superuser, email, is_email_verified, ...plain }: UserPatch,
): Partial<UserRow> {
  const wanted: Partial<UserRow> = {
    ...plain,
    ...roleColumns(before, { groups, is_staff, is_superuser }),
  }
  if (email !== undefined) wanted.email = email.toLowerCase()
  const isOther = wanted.email !== undefined && wanted.email !== before.email
  if (is_email_verified !== undefined || isOther)
    wanted.is_email_verified = is_email_verified ?? false
  if (wanted.is_email_verified && (wanted.email ?? before.email) === '')
    throw invalid({ is_email_verified: 'The account has no e-mail address. Give it one first.' })
  return changesTo(before, wanted)
}

/** Returns whether the body changes the address that received invitations, or deactivates their sender. */
export const mayEndInvitations = ({ email, is_active }: UserPatch): boolean =>
  email !== undefined || is_active === false

/**
 * The group `admin`, `is_staff` and `is_superuser` are three names of one right and are stored alike. A former
 * administrator without a new group becomes a `user`.
 */
function roleColumns(
  before: UserRow,
  { groups, is_staff, is_superuser }: Pick<UserPatch, 'groups' | 'is_staff' | 'is_superuser'>,
): Partial<UserRow> {
  const stated = { groups: groups?.includes('admin'), is_superuser, is_staff }
  const given = Object.entries(stated).filter(([, isAdmin]) => isAdmin !== undefined)
  const [first, ...others] = given
  if (!first) return {}
  const [field, isAdmin = false] = first
  const contradicting = others.find(([, other]) => other !== isAdmin)
  if (contradicting)
    throw invalid({
      [contradicting[0]]: `This contradicts '${field}': the group 'admin', 'is_superuser' and 'is_staff' are one right. Send one of them, or the same for all.`,
    })
  const former = roleOf(before) === 'admin' ? 'user' : before.role
  const other = groups === undefined ? former : highest(groups)
  return { role: isAdmin ? 'admin' : other, is_staff: isAdmin, is_superuser: isAdmin }
}

/** Returns the highest of several groups. */
function highest(groups: readonly string[]): UserRow['role'] {
  return userGroups.find((group) => groups.includes(group)) ?? null
}

/** Checks the length of a user name. @throws DomainError invalid for a short name, unless an administrator sets it */
export function assertNameLength(username: string | undefined, { role }: Principal): void {
  if (username === undefined || role === 'admin' || username.length >= shortestName) return
  throw invalid({ username: `Ensure this field has at least ${shortestName} characters.` })
}

/** Returns whether a user is an active administrator. */
export const isAdministrator = (user: UserRow) => user.is_active && roleOf(user) === 'admin'
