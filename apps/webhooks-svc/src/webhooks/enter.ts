import { assertPermitted, type CallContext, invalid, notFound, signedIn } from '@reticle/kit'
import type { Transaction } from 'kysely'
import { lockOrganization } from '../copies/repo-organizations.ts'
import { lockProject } from '../copies/repo-projects.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { noSuchProject } from './check.ts'
import { factsOf, type PermitDeps } from './permit.ts'
import { organizationStanding, projectStanding, webhookRules } from './policy.ts'
import { countWebhooks, type WebhookScope } from './repo.ts'

export interface EnterDeps extends PermitDeps {
  /** Maximum number of webhooks of one project. */
  perProject: number
  /** Maximum number of webhooks of one organization, without those of its projects. */
  perOrganization: number
}

/**
 * Called in the transaction that inserts a webhook: locks the project or organization and checks that it exists and
 * is below its limit.
 */
type EnterScope = (tx: Transaction<WebhooksDb>) => Promise<WebhookScope>

/**
 * Checks that the caller may create webhooks of a project. The returned function locks the row of the project, so
 * that concurrent calls cannot exceed the limit or miss a deletion.
 *
 * @throws DomainError invalid, forbidden
 */
export async function enterProject(
  deps: EnterDeps,
  project_id: number,
  context: CallContext,
): Promise<EnterScope> {
  const owner = signedIn(context)
  const facts = await factsOf(deps, project_id, context)
  if (!facts) throw noSuchProject(project_id)
  assertPermitted(webhookRules, 'create', owner, projectStanding(facts, owner))
  const { organization_id } = facts
  return async (tx) => {
    const project = await lockProject(tx, { id: project_id, organization_id })
    if (project.is_deleted) throw noSuchProject(project_id)
    await assertRoom(tx, { project_id }, deps.perProject, 'A project')
    return { project_id }
  }
}

/** Does the same for the organization that the request names. */
export function enterOrganization(
  { perOrganization }: EnterDeps,
  organization_id: number,
  context: CallContext,
): EnterScope {
  const owner = signedIn(context)
  const how = organizationStanding(organization_id, owner)
  assertPermitted(webhookRules, 'create:organization', owner, how)
  return async (tx) => {
    const organization = await lockOrganization(tx, organization_id)
    if (organization.is_deleted) throw notFound(`${organization_id} organization does not exist.`)
    await assertRoom(tx, { organization_id }, perOrganization, 'An organization')
    return { organization_id }
  }
}

async function assertRoom(
  tx: Transaction<WebhooksDb>,
  whose: WebhookScope,
  most: number,
  what: string,
): Promise<void> {
  if ((await countWebhooks(tx, whose)) >= most)
    throw invalid({ non_field_errors: `${what} may have at most ${most} webhooks.` })
}
