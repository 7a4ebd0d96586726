import type { identity } from '@reticle/contracts/api/identity'
import type { Principal } from '@reticle/contracts/principal'
import type { MetaUser, UserPatch } from '@reticle/contracts/rest/users'
import { type Service, signedIn } from '@reticle/kit'
import { change } from '@reticle/kit/db/change'
import { fromDatabase } from '@reticle/kit/db/errors'
import { conflict, notFound } from '@reticle/kit/errors'
import { allow, type Standing } from '@reticle/kit/policy'
import type { Transaction } from 'kysely'
import { isEmpty } from '../../changes.ts'
import type { ProjectsDb, UserRow } from '../../db/schema.ts'
import { allowPatch } from '../../patch-rights.ts'
import type { IdentityDeps } from '../deps.ts'
import { deleteKeys } from '../mail/repo.ts'
import { toBasicUser, toUser } from '../messages.ts'
import { findUser } from '../repo.ts'
import { selfOf } from '../self.ts'
import { endSignIns } from '../sessions/end-sign-ins.ts'
import { accountChanges, assertNameLength, isAdministrator, rightOfKey } from './changes.ts'
import { listAccounts } from './list.ts'
import { assertFree, nameViolations } from './names.ts'
import { userRules } from './policy.ts'
import {
  deleteAccount,
  hasOtherAdministrator,
  lockAccount,
  lockAccounts,
  updateAccount,
} from './repo.ts'

/** Users: `spec/api-workspace.md` 2.4. */
type Accounts = Pick<
  Service<typeof identity>,
  'getSelf' | 'listUsers' | 'getUser' | 'updateUser' | 'deleteUser'
>

export function accountHandlers({ db }: Pick<IdentityDeps, 'db'>): Accounts {
  return {
    async getSelf(_, context) {
      return toUser(await selfOf(db, context))
    },

    async listUsers(query, context) {
      const { role, user_id } = signedIn(context)
      const isAdmin = role === 'admin'
      const { count, results } = await listAccounts(db, isAdmin ? undefined : user_id, query)
      return { count, results: results.map((row) => (isAdmin ? toUser(row) : toBasicUser(row))) }
    },

    async getUser({ id }, context) {
      const caller = signedIn(context)
      const row = await findUser(db, id)
      if (!row) throw notFound()
      allow(userRules, 'view', caller, standing(caller, id))
      return shownTo(caller, row)
    },

    async updateUser({ id, body }, context) {
      return change(db, context, async (tx) => {
        await lockAccounts(tx)
        const before = await lockAccount(tx, id)
        if (!before) throw notFound()
        const caller = signedIn(context)
        allowPatch(userRules, rightOfKey, body, caller, standing(caller, id))
        return toUser(await updated(tx, before, body, caller))
      })
    },

    async deleteUser({ id }, context) {
      return change(db, context, async (tx) => {
        await lockAccounts(tx)
        const before = await lockAccount(tx, id)
        if (!before) throw notFound()
        const caller = signedIn(context)
        allow(userRules, 'delete', caller, standing(caller, id))
        if (isAdministrator(before)) await assertNotLast(tx, id)
        await deleteAccount(tx, id)
        return undefined
      })
    },
  }
}

type Tx = Transaction<ProjectsDb>

function standing({ user_id }: Principal, id: number): Standing {
  const relations = user_id === id ? ['self'] : []
  return { organization_id: null, organization_role: null, relations }
}

function shownTo({ user_id, role }: Principal, row: UserRow): MetaUser {
  return role === 'admin' || user_id === row.id ? toUser(row) : toBasicUser(row)
}

/** Whoever is deactivated is signed out everywhere, and stays so when they come back. */
async function updated(
  tx: Tx,
  before: UserRow,
  body: UserPatch,
  caller: Principal,
): Promise<UserRow> {
  const changes = accountChanges(before, body)
  if (isEmpty(changes)) return before
  assertNameLength(changes.username, caller)
  const isRemoved = isAdministrator(before) && !isAdministrator({ ...before, ...changes })
  if (isRemoved) await assertMayLoseRights(tx, before.id, caller)
  await assertFree(tx, changes, before.id)
  if (changes.is_active === false) await endSignIns(tx, before.id)
  if (changes.email !== undefined) await deleteKeys(tx, before.id)
  return updateAccount(tx, before.id, changes).catch((thrown: unknown) => {
    throw fromDatabase(thrown, nameViolations) ?? thrown
  })
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
