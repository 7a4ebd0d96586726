import { isDeepStrictEqual } from 'node:util'
import type { OperationInput } from '@reticle/contracts/api/operation'
import type { organizations } from '@reticle/contracts/api/organizations'
import { organizationCreated, organizationDeleted } from '@reticle/contracts/events/organizations'
import type { Organization } from '@reticle/contracts/rest/organizations'
import { type CallContext, notFound, type Rule, type Service, signedIn } from '@reticle/kit'
import { conflict, invalid } from '@reticle/kit/call/errors'
import { assertMatches } from '@reticle/kit/call/etag'
import { assertPermitted, hasPermission } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import { changesTo, isEmpty } from '../bodies/changes.ts'
import { allowLongStatements } from '../db/long.ts'
import type { OrganizationRow } from '../db/schema.ts'
import { changeOrganization, withFreeSlug } from './change.ts'
import type { OrganizationDeps, Tx } from './deps.ts'
import type { WithdrawDeps } from './invitations/withdraw.ts'
import { listOrganizations } from './list.ts'
import { changeRole } from './memberships/change.ts'
import { addActiveMember } from './memberships/join.ts'
import { findMembershipOf } from './memberships/repo.ts'
import { organizationOf, organizationRecords } from './messages.ts'
import { rulesFor } from './policy.ts'
import {
  deleteOrganization,
  findOrganization,
  insertOrganization,
  lockOrganization,
} from './repo.ts'
import { foundingStanding, organizationStanding } from './standing.ts'

type Handlers = Pick<
  Service<typeof organizations>,
  | 'listOrganizations'
  | 'createOrganization'
  | 'getOrganization'
  | 'updateOrganization'
  | 'deleteOrganization'
  | 'transferOrganization'
>

/** Builds the handlers of organizations. An organization is not found by users outside of it. */
export function organizationRecordHandlers(deps: OrganizationDeps): Handlers {
  const { db, settings } = deps
  const rules = rulesFor(settings.minRole)

  return {
    async listOrganizations(query, context) {
      const { count, results } = await listOrganizations(db, signedIn(context), query)
      return { count, results: await organizationRecords(db, results) }
    },

    async createOrganization({ body }, context) {
      assertPermitted(rules, 'create', signedIn(context), foundingStanding)
      return runChange(db, context, (tx) => create(tx, body, deps, context))
    },

    async getOrganization({ id }, context) {
      const row = await findOrganization(db, id)
      return organizationOf(db, allowed(rules, 'view', context, row))
    },

    async updateOrganization({ id, body, if_match }, context) {
      return runChange(db, context, async (tx) => {
        const action = isEmpty(body) ? 'view' : 'update'
        const row = allowed(rules, action, context, await lockOrganization(tx, id))
        assertMatches(if_match, row)
        return changeOrganization(tx, row, wantedOf(row, body), context)
      })
    },

    async deleteOrganization({ id, objects = 'keep', if_match, is_busy }, context) {
      await runChange(db, context, async (tx) => {
        const row = allowed(rules, 'delete', context, await lockOrganization(tx, id))
        assertMatches(if_match, row)
        if (is_busy) throw conflict(stillRunning)
        await remove(tx, row, objects, deps, context)
      })
    },

    async transferOrganization({ id, body }, context) {
      return runChange(db, context, async (tx) => {
        const row = allowed(rules, 'transfer', context, await lockOrganization(tx, id))
        return transferOrganization(tx, row, body.user_id, deps, context)
      })
    },
  }
}

const stillRunning =
  'Background processes of the organization are still running. Wait until they are finished, or cancel them.'

/** Returns the organization if the caller may view it (otherwise 404) and may do `action` (otherwise 403). */
function allowed(
  rules: readonly Rule[],
  action: string,
  context: CallContext,
  row: OrganizationRow | undefined,
): OrganizationRow {
  const principal = signedIn(context)
  const standing = row && organizationStanding(principal, row)
  if (!standing || !hasPermission(rules, 'view', principal, standing)) throw notFound()
  assertPermitted(rules, action, principal, standing)
  return row
}

type Creation = OperationInput<typeof organizations.createOrganization>['body']

/** The creator becomes the owner and the first member. */
async function create(
  tx: Tx,
  body: Creation,
  { clock }: Pick<OrganizationDeps, 'clock'>,
  context: CallContext,
): Promise<Organization> {
  const owner_id = signedIn(context).user_id
  const columns = { ...body, name: body.name || body.slug, owner_id }
  const row = await withFreeSlug(() => insertOrganization(tx, columns))
  const organization = await organizationOf(tx, row)
  await emit(tx, organizationCreated, { organization }, context)
  const owner = { organization_id: row.id, user_id: owner_id, role: 'owner' } as const
  await addActiveMember(tx, owner, clock.now(), context)
  return organization
}

/** Deletes an organization. Its event comes before those of its objects, which are deleted or moved to their owners. */
async function remove(
  tx: Tx,
  row: OrganizationRow,
  fate: 'keep' | 'delete',
  { objects }: Pick<OrganizationDeps, 'objects'>,
  context: CallContext,
): Promise<void> {
  await allowLongStatements(tx)
  const cause = { ...context, organization_id: row.id }
  await emit(tx, organizationDeleted, { organization: await organizationOf(tx, row) }, cause)
  const leave = fate === 'delete' ? objects.remove : objects.release
  await leave(tx, row.id, cause)
  await deleteOrganization(tx, row.id)
}

type Changes = OperationInput<typeof organizations.updateOrganization>['body']

/** Returns the changes of a body. A contact with keys in another order is unchanged. */
function wantedOf(row: OrganizationRow, { contact, ...body }: Changes): Partial<OrganizationRow> {
  const changes = changesTo<Partial<OrganizationRow>>(row, body)
  if (contact !== undefined && !isDeepStrictEqual(contact, row.contact)) changes.contact = contact
  return changes
}

/**
 * Transfers a locked organization to another active member; the previous owner becomes a maintainer.
 *
 * @throws DomainError invalid for a user who is not an active member, or is the owner already
 */
async function transferOrganization(
  tx: Tx,
  row: OrganizationRow,
  user_id: number,
  deps: WithdrawDeps,
  cause: EventCause,
): Promise<Organization> {
  const heir = await findMembershipOf(tx, row.id, user_id)
  if (!heir?.is_active) throw invalid({ user_id: 'The user is not a member of the organization' })
  if (heir.role === 'owner') throw invalid({ user_id: 'The user owns the organization already.' })
  const former =
    row.owner_id === null ? undefined : await findMembershipOf(tx, row.id, row.owner_id)
  const record = await changeOrganization(tx, row, { owner_id: user_id }, cause)
  if (former) await changeRole(tx, former, 'maintainer', deps, cause)
  await changeRole(tx, heir, 'owner', deps, cause)
  return record
}
