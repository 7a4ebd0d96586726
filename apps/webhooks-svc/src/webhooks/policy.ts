import type { Facts } from '@reticle/contracts/rest/facts'
import type { Principal } from '@reticle/contracts/rest/principal'
import { isRelation } from '@reticle/contracts/rest/relations'
import type { Rule, Standing } from '@reticle/kit'
import { listRelations } from '@reticle/kit/call/policy'

const owners = { is: ['webhook owner', 'project owner'], role: 'worker' } as const
const projectOwner = { is: ['project owner'], role: 'worker' } as const
const all = { role: 'worker' } as const

/** Permissions for webhooks. Reading deliveries requires `view`. */
export const webhookRules: readonly Rule[] = [
  { action: 'create', sandbox: projectOwner, leader: all, member: projectOwner },
  { action: 'create:organization', sandbox: 'nobody', leader: all, member: 'nobody' },
  { action: 'view', sandbox: owners, leader: all, member: owners },
  { action: 'update', sandbox: owners, leader: all, member: owners },
  { action: 'delete', sandbox: owners, leader: all, member: owners },
]

/**
 * Returns the relations of the caller to a project's webhook, from the facts of the project and the owner of the
 * webhook.
 */
export function projectStanding(
  facts: Facts,
  { user_id }: Principal,
  webhook?: { owner_id: number },
): Standing {
  const { organization_id, organization_role, relations } = facts
  const own = listRelations({ 'webhook owner': webhook?.owner_id === user_id })
  const known = relations.filter(isRelation)
  return { organization_id, organization_role, relations: [...known, ...own] }
}

/** Returns the relations of the caller to an organization's webhook; needs no call to another service. */
export function organizationStanding(
  organization_id: number,
  { user_id, organization_roles }: Principal,
  webhook?: { owner_id: number },
): Standing {
  const organization_role = organization_roles[organization_id] ?? null
  const relations = listRelations({ 'webhook owner': webhook?.owner_id === user_id })
  return { organization_id, organization_role, relations }
}
