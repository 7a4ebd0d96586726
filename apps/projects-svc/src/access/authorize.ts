import type { tasks } from '@reticle/contracts/api/tasks'
import type { Facts } from '@reticle/contracts/rest/facts'
import type { Principal } from '@reticle/contracts/rest/principal'
import { notFound, type Service, signedIn } from '@reticle/kit'
import { assertPermitted, type Grant, hasPermission, type Rule } from '@reticle/kit/call/policy'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import { jobRules } from './job-policy.ts'
import { projectRules } from './project-policy.ts'
import { type FactsRow, type FactsTarget, findFacts } from './repo-facts.ts'
import { workspaceStanding } from './roles.ts'
import { jobStanding, projectStanding, type TaskPeople, taskStanding } from './standing.ts'
import { taskRules } from './task-policy.ts'

/** Actions without a permission check here: the service that owns them applies its own rules to the facts. */
const factsOnly: ReadonlySet<string> = new Set(['webhooks'])

const ownersOnly: Grant = {
  is: [
    'project owner',
    'task owner',
    'project staff above workers',
    'task staff above workers',
    'job staff above workers',
  ],
  role: 'any',
}

/** Returns rules under which workers of an organization export only objects that they own. */
function restrictExports(rules: readonly Rule[]): readonly Rule[] {
  return rules.map((rule) => (rule.action === 'export' ? { ...rule, member: ownersOnly } : rule))
}

type Rules = Readonly<Record<Facts['target'], readonly Rule[]>>
const rules: Rules = { project: projectRules, task: taskRules, job: jobRules }
const restricted: Rules = {
  project: restrictExports(projectRules),
  task: restrictExports(taskRules),
  job: restrictExports(jobRules),
}
const standings = { project: projectStanding, task: taskStanding, job: jobStanding }

/** The only action allowed on a draft. No user sees a draft before it is published. */
const draftAction = 'annotations:write'

/**
 * Returns the facts of a target on which the caller may do `action`, with one query.
 *
 * @throws DomainError not_found, forbidden
 */
export async function authorizeTarget(
  db: Kysely<ProjectsDb>,
  principal: Principal,
  target: FactsTarget,
  action: string,
  by: Rules = rules,
): Promise<FactsRow> {
  const row = await findFacts(db, target)
  if (!row || (row.draft_id && action !== draftAction)) throw notFound()
  const standing = standings[target.target](principal, row)
  if (!factsOnly.has(action)) assertPermitted(by[target.target], action, principal, standing)
  return row
}

export interface AuthorizeDeps {
  db: Kysely<ProjectsDb>
  settings: {
    /** Workers of an organization export only tasks that they own, and tasks of projects that they own. */
    restrictsWorkerExports: boolean
  }
}

/** Returns the facts of a target that will be created in the workspace of the request. It has no id yet. */
function factsOfNew(target: Facts['target'], principal: Principal): Facts {
  const standing = workspaceStanding(principal)
  assertPermitted(rules[target], 'create', principal, standing)
  const none = { project_id: null, task_id: null, job_id: null }
  const { organization_id, organization_role } = standing
  return {
    target,
    name: '',
    ...none,
    organization_id,
    organization_role,
    relations: [],
    labels_revision: 0,
    label_events: [],
    size: 0,
    dimension: '2d',
    subset: '',
    jobs: [],
    frames: [],
    updated_date: new Date(0).toISOString(),
  }
}

/**
 * Builds the handler of `authorize`: checks whether the caller may do `action` on a project, task or job, and returns
 * its facts. A call without an error means that the action is allowed.
 */
export function authorizeHandler({
  db,
  settings,
}: AuthorizeDeps): Pick<Service<typeof tasks>, 'authorize'> {
  const own = settings.restrictsWorkerExports ? restricted : rules
  return {
    async authorize({ target, id, action }, context): Promise<Facts> {
      const principal = signedIn(context)
      if (action === 'create') return factsOfNew(target, principal)
      const row = await authorizeTarget(db, principal, { target, id }, action, own)
      const { organization_id, organization_role, relations } = standings[target](principal, row)
      return {
        target,
        name: row.name,
        project_id: row.project_id,
        task_id: row.task_id,
        job_id: row.job_id,
        organization_id,
        organization_role,
        relations: [...relations],
        labels_revision: row.labels_revision,
        label_events: row.label_events,
        size: row.size,
        dimension: row.dimension,
        subset: row.subset,
        updated_date: row.updated_date.toISOString(),
        jobs: row.jobs,
        frames: row.frames,
      }
    },
  }
}

type InProject = Pick<TaskPeople, 'organization_id' | 'project_owner_id' | 'project_assignee_id'>

/** Returns whether the caller may view the project of a task or job. */
export function seesProject(principal: Principal, row: InProject): boolean {
  const people = {
    owner_id: row.project_owner_id,
    assignee_id: row.project_assignee_id,
    organization_id: row.organization_id,
  }
  return hasPermission(projectRules, 'view', principal, projectStanding(principal, people))
}
