import type { identity } from '@reticle/contracts/api/identity'
import { userDeleted, userUpdated } from '@reticle/contracts/events/users'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { MetaUser, User, UserPatch } from '@reticle/contracts/rest/users'
import { type CallContext, type Service, signedIn } from '@reticle/kit'
import { conflict, notFound } from '@reticle/kit/call/errors'
import { assertPermitted, listRelations, type Standing } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import { emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { allowPatch } from '../../access/patch-rights.ts'
import { roleIn } from '../../access/roles.ts'
import { fieldsBefore, isEmpty } from '../../bodies/changes.ts'
import type { ProjectsDb, UserRow } from '../../db/schema.ts'
import type { IdentityDeps, Memberships } from '../deps.ts'
import { deleteKeys } from '../mail/repo.ts'
import { toBasicUser, toUser } from '../messages.ts'
import { findUser } from '../repo.ts'
import { selfOf } from '../self.ts'
import { endSignIns } from '../sessions/end-sign-ins.ts'
import {
  accountChanges,
  assertNameLength,
  isAdministrator,
  mayEndInvitations,
  rightOfKey,
} from './changes.ts'
import { listAccounts } from './list.ts'
import { assertFree, orTaken } from './names.ts'
import { userRules } from './policy.ts'
import {
  deleteAccount,
  hasOtherAdministrator,
  lockAccount,
  lockAccounts,
  updateAccount,
} from './repo.ts'

/** Calls on users. */
type Accounts = Pick<
  Service<typeof identity>,
  'getSelf' | 'listUsers' | 'getUser' | 'updateUser' | 'deleteUser'
>

export function accountHandlers({
  db,
  memberships,
}: Pick<IdentityDeps, 'db' | 'memberships'>): Accounts {
  return {
    async getSelf(_, context) {
      return toUser(await selfOf(db, context))
    },

    async listUsers(query, context) {
      const caller = signedIn(context)
      const { count, results } = await listAccounts(db, caller, query, memberships)
      const isWhole = caller.role === 'admin'
      return { count, results: results.map((row) => (isWhole ? toUser(row) : toBasicUser(row))) }
    },

    async getUser({ id }, context) {
      const caller = signedIn(context)
      const row = await findUser(db, id)
      if (!row) throw notFound()
      const isFellow = await isFellowMember(db, caller, id, memberships)
      assertPermitted(userRules, 'view', caller, standing(caller, id, isFellow))
      return shownTo(caller, row)
    },

    async updateUser({ id, body }, context) {
      return runChange(db, context, async (tx) => {
        await lockAccounts(tx)
        if (!(await findUser(tx, id))) throw notFound()
        const caller = signedIn(context)
        allowPatch(userRules, rightOfKey, body, caller, standing(caller, id))
        if (mayEndInvitations(body)) await memberships.lockAll(tx, id)
        const before = await lockAccount(tx, id)
        if (!before) throw notFound()
        return updated(tx, before, { body, memberships }, context)
      })
    },

    async deleteUser({ id }, context) {
      return runChange(db, context, async (tx) => {
        await lockAccounts(tx)
        if (!(await findUser(tx, id))) throw notFound()
        const caller = signedIn(context)
        assertPermitted(userRules, 'delete', caller, standing(caller, id))
        await memberships.lockAll(tx, id)
        const before = await lockAccount(tx, id)
        if (!before) throw notFound()
        if (isAdministrator(before)) await assertNotLast(tx, id)
        await memberships.leaveAll(tx, id, context)
        await emit(tx, userDeleted, { user: toUser(before) }, context)
        await deleteAccount(tx, id)
        return undefined
      })
    },
  }
}

type Tx = Transaction<ProjectsDb>

function standing({ user_id }: Principal, id: number, isFellow = false): Standing {
  const relations = listRelations({ self: user_id === id, 'fellow member': isFellow })
  return { organization_id: null, organization_role: null, relations }
}

/** Returns whether both are active members of the organization of the request. */
async function isFellowMember(
  db: IdentityDeps['db'],
  caller: Principal,
  id: number,
  { isMember }: Pick<Memberships, 'isMember'>,
): Promise<boolean> {
  const organization_id = caller.scope?.organization_id ?? null
  if (organization_id === null || roleIn(caller, organization_id) === null) return false
  return isMember(db, organization_id, id)
}

function shownTo({ user_id, role }: Principal, row: UserRow): MetaUser {
  return role === 'admin' || user_id === row.id ? toUser(row) : toBasicUser(row)
}

interface Patch {
  body: UserPatch
  memberships: Memberships
}

/**
 * Updates an account. A deactivated account is signed out everywhere; its sessions and tokens stay ended after
 * reactivation.
 */
async function updated(
  tx: Tx,
  before: UserRow,
  { body, memberships }: Patch,
  context: CallContext,
): Promise<User> {
  const was = toUser(before)
  const changes = accountChanges(before, body)
  if (isEmpty(changes)) return was
  const caller = signedIn(context)
  assertNameLength(changes.username, caller)
  const isRemoved = isAdministrator(before) && !isAdministrator({ ...before, ...changes })
  if (isRemoved) await assertMayLoseRights(tx, before.id, caller)
  await assertFree(tx, changes, before.id)
  if (changes.is_active === false) await endSignIns(tx, before.id)
  if (changes.email !== undefined) await deleteKeys(tx, before.id)
  const row = await orTaken(updateAccount(tx, before.id, changes))
  await endInvitations(tx, { before, after: row, memberships }, context)
  const user = toUser(row)
  const before_update = fieldsBefore(was, user)
  if (!isEmpty(before_update)) await emit(tx, userUpdated, { user, before_update }, context)
  return user
}

interface Changed {
  before: UserRow
  after: UserRow
  memberships: Memberships
}

/** Withdraws invitations to an address that the user no longer has, and those that a deactivated user sent. */
async function endInvitations(
  tx: Tx,
  { before, after, memberships }: Changed,
  context: CallContext,
): Promise<void> {
  if (after.email !== before.email) await memberships.withdrawReceived(tx, after.id, context)
  if (before.is_active && !after.is_active) await memberships.withdrawSent(tx, after.id, context)
}

async function assertMayLoseRights(tx: Tx, id: number, { user_id }: Principal): Promise<void> {
  if (id === user_id)
    throw conflict('You cannot remove your own administrator rights. Ask another administrator.')
  await assertNotLast(tx, id)
}

async function assertNotLast(tx: Tx, id: number): Promise<void> {
  if (!(await hasOtherAdministrator(tx, id)))
    throw conflict('This is the last active administrator. Make somebody else one first.')
}
