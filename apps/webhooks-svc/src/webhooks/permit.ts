import type { tasks } from '@reticle/contracts/api/tasks'
import type { Facts } from '@reticle/contracts/rest/facts'
import { allow, type Context, DomainError, notFound, type Service, signedIn } from '@reticle/kit'
import type { Kysely } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import type { WebhookView } from './messages.ts'
import { standing, webhookRules } from './policy.ts'
import { findWebhook } from './repo.ts'

export interface PermitDeps {
  db: Kysely<WebhooksDb>
  /** Facts of projects: who owns them, where they are. */
  tasks: Pick<Service<typeof tasks>, 'authorize'>
}

type Action = 'view' | 'update' | 'delete'

/**
 * The webhook, after the caller was permitted to do `action` with it.
 *
 * @throws DomainError not_found (also when its project is gone), forbidden
 */
export async function permit(
  deps: PermitDeps,
  action: Action,
  id: number,
  context: Context,
): Promise<WebhookView> {
  const row = (await findWebhook(deps.db, id)) ?? missing()
  const principal = signedIn(context)
  const facts = row.project_id === null ? undefined : await factsOf(deps, row.project_id, context)
  allow(webhookRules, action, principal, standing(facts ?? missing(), principal, row))
  return row
}

/** No such webhook, for this caller or for anybody. */
export function missing(): never {
  throw notFound()
}

/** Facts of a project; nothing when there is no such project (any more). */
export async function factsOf(
  { tasks }: PermitDeps,
  id: number,
  context: Context,
): Promise<Facts | undefined> {
  try {
    return await tasks.authorize({ target: 'project', id, action: 'webhooks' }, context)
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.kind === 'not_found') return undefined
    throw thrown
  }
}
