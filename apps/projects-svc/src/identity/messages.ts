import type { Principal } from '@reticle/contracts/rest/principal'
import type { BasicUser, User } from '@reticle/contracts/rest/users'
import type { UserRow } from '../db/schema.ts'

/** User records in REST form. */

type BasicRow = Pick<UserRow, 'id' | 'username' | 'first_name' | 'last_name'>

export function toBasicUser({ id, username, first_name, last_name }: BasicRow): BasicUser {
  return { url: `/users/${id}`, id, username, first_name, last_name }
}

export function toUser(row: UserRow): User {
  const role = roleOf(row)
  const isAdmin = role === 'admin'
  return {
    ...toBasicUser(row),
    email: row.email,
    groups: role === null ? [] : [role],
    is_staff: isAdmin,
    is_superuser: isAdmin,
    is_active: row.is_active,
    last_login: row.last_login?.toISOString() ?? null,
    date_joined: row.date_joined.toISOString(),
    has_analytics_access: isAdmin,
  }
}

export function toPrincipal(row: UserRow, token: Principal['token'] = null): Principal {
  const { id: user_id, username, first_name, last_name, email } = row
  const known = { user_id, username, first_name, last_name, email, role: roleOf(row), token }
  return { ...known, organization_roles: {}, scope: null }
}

/**
 * Returns the global role. Rows of former releases may have superuser and staff set with another group; such a user
 * is an administrator.
 */
export function roleOf({
  role,
  is_superuser,
  is_staff,
}: Pick<UserRow, 'role' | 'is_superuser' | 'is_staff'>): UserRow['role'] {
  return is_superuser && is_staff ? 'admin' : role
}
