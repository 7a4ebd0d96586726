import { organizationUpdated } from '@reticle/contracts/events/organizations'
import type { Organization } from '@reticle/contracts/rest/organizations'
import { fromDatabase, isTransient } from '@reticle/kit/db/errors'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Updateable } from 'kysely'
import { fieldsBefore, isEmpty } from '../bodies/changes.ts'
import type { OrganizationRow, OrganizationsTable } from '../db/schema.ts'
import type { Tx } from './deps.ts'
import { organizationOf } from './messages.ts'
import { updateOrganization } from './repo.ts'

/**
 * Changes a locked organization and emits one `update:organization` event. A change without effect keeps
 * `updated_date` and emits none.
 *
 * @returns the record after the change
 */
export async function changeOrganization(
  tx: Tx,
  row: OrganizationRow,
  changes: Updateable<OrganizationsTable>,
  cause: EventCause,
): Promise<Organization> {
  const before = await organizationOf(tx, row)
  if (isEmpty(changes)) return before
  const changed = await withFreeSlug(() => updateOrganization(tx, row.id, changes))
  const organization = await organizationOf(tx, changed)
  const data = { organization, before_update: fieldsBefore(before, organization) }
  await emit(tx, organizationUpdated, data, { ...cause, organization_id: row.id })
  return organization
}

const violations = {
  organizations_slug_key: {
    field: 'slug',
    text: 'organization with this slug already exists.',
  },
}

/** Runs a statement that sets a slug. @throws DomainError invalid naming the field when another organization has it */
export async function withFreeSlug<R>(run: () => Promise<R>): Promise<R> {
  try {
    return await run()
  } catch (thrown) {
    if (isTransient(thrown)) throw thrown // the whole transaction can be retried
    throw fromDatabase(thrown, violations) ?? thrown
  }
}
