import type { tasks } from '@reticle/contracts/api/tasks'
import type { Facts } from '@reticle/contracts/rest/facts'
import {
  assertPermitted,
  type CallContext,
  DomainError,
  notFound,
  type Service,
  type Standing,
  signedIn,
} from '@reticle/kit'
import type { Kysely } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import type { WebhookView } from './messages.ts'
import { organizationStanding, projectStanding, webhookRules } from './policy.ts'
import { findWebhook } from './repo.ts'

export interface PermitDeps {
  db: Kysely<WebhooksDb>
  /** Source of facts about projects: owner and organization. */
  tasks: Pick<Service<typeof tasks>, 'authorize'>
}

type Action = 'view' | 'update' | 'delete'

/**
 * Returns the webhook after checking that the caller may do `action` with it.
 *
 * @throws DomainError not_found (also when its project was deleted), forbidden
 */
export async function findPermitted(
  deps: PermitDeps,
  action: Action,
  id: number,
  context: CallContext,
): Promise<WebhookView> {
  const row = (await findWebhook(deps.db, id)) ?? rejectMissing()
  const principal = signedIn(context)
  assertPermitted(webhookRules, action, principal, await standingTo(deps, row, context))
  return row
}

async function standingTo(
  deps: PermitDeps,
  row: WebhookView,
  context: CallContext,
): Promise<Standing> {
  const principal = signedIn(context)
  const { organization_id, project_id } = row
  if (organization_id !== null) return organizationStanding(organization_id, principal, row)
  const facts = project_id === null ? undefined : await factsOf(deps, project_id, context)
  return projectStanding(facts ?? rejectMissing(), principal, row)
}

/** Throws not_found: the webhook does not exist, or the caller must not learn of it. */
export function rejectMissing(): never {
  throw notFound()
}

/** Returns the facts of a project; undefined when it does not exist (any more). */
export async function factsOf(
  { tasks }: PermitDeps,
  id: number,
  context: CallContext,
): Promise<Facts | undefined> {
  try {
    return await tasks.authorize({ target: 'project', id, action: 'webhooks' }, context)
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.kind === 'not_found') return undefined
    throw thrown
  }
}
