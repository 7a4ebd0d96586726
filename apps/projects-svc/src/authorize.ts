import type { tasks } from '@reticle/contracts/api/tasks'
import type { Facts } from '@reticle/contracts/rest/facts'
import { notFound, type Service, signedIn } from '@reticle/kit'
import { allow, type Rule } from '@reticle/kit/policy'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from './db/schema.ts'
import { findFacts } from './facts.ts'
import { jobRules } from './jobs/policy.ts'
import { projectRules } from './projects/policy.ts'
import { jobStanding, projectStanding, taskStanding } from './standing.ts'
import { taskRules } from './tasks/policy.ts'

/** Actions that ask for facts alone: the service that owns them has rules of its own over these. */
const factsOnly: ReadonlySet<string> = new Set(['webhooks'])

const rules: Record<Facts['target'], readonly Rule[]> = {
  project: projectRules,
  task: taskRules,
  job: jobRules,
}
const standings = { project: projectStanding, task: taskStanding, job: jobStanding }

/**
 * `authorize`: may the caller do `action` on a project, task or job, and what is there to know of it? One query. Throws
 * not_found and forbidden; an answer is a yes (`design.md` 2).
 */
export function authorizeHandler({
  db,
}: {
  db: Kysely<ProjectsDb>
}): Pick<Service<typeof tasks>, 'authorize'> {
  return {
    async authorize({ target, id, action }, context): Promise<Facts> {
      const principal = signedIn(context)
      const row = await findFacts(db, target, id)
      if (!row) throw notFound()
      const standing = standings[target](principal, row)
      if (!factsOnly.has(action)) allow(rules[target], action, principal, standing)
      const { project_id, task_id, job_id, labels_revision, size, dimension, subset, name } = row
      return {
        target,
        project_id,
        task_id,
        job_id,
        organization_id: standing.organization_id,
        organization_role: standing.organization_role,
        relations: [...standing.relations],
        labels_revision,
        size,
        dimension,
        subset,
        name,
        updated_date: row.updated_date.toISOString(),
        jobs: row.jobs,
      }
    },
  }
}
