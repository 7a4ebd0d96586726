import type { tasks } from '@reticle/contracts/api/tasks'
import type { Principal } from '@reticle/contracts/principal'
import type { Facts } from '@reticle/contracts/rest/facts'
import { notFound, type Service, signedIn } from '@reticle/kit'
import { allow, type Rule, type Standing } from '@reticle/kit/policy'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from './db/schema.ts'
import { jobRules } from './jobs/policy.ts'
import { findJob, listRanges } from './jobs/repo.ts'
import { projectRules } from './projects/policy.ts'
import { findNewestDate, findProject } from './projects/repo.ts'
import { jobStanding, projectStanding, taskStanding } from './standing.ts'
import { taskRules } from './tasks/policy.ts'
import { findTask } from './tasks/repo.ts'

type Db = Kysely<ProjectsDb>
type Handler = Pick<Service<typeof tasks>, 'authorize'>

/** Actions that ask for facts alone: the service that owns them has rules of its own over these. */
const factsOnly: ReadonlySet<string> = new Set(['webhooks'])

/**
 * `authorize`: may the caller do `action` on a project, task or job, and what is there to know of it? Two queries. Throws
 * not_found and forbidden; an answer is a yes (`design.md` 2).
 */
export function authorizeHandler({ db }: { db: Db }): Handler {
  return {
    async authorize({ target, id, action }, context) {
      const principal = signedIn(context)
      switch (target) {
        case 'project':
          return projectFacts(db, principal, id, action)
        case 'task':
          return taskFacts(db, principal, id, action)
        case 'job':
          return jobFacts(db, principal, id, action)
      }
    },
  }
}

function decide(rules: readonly Rule[], action: string, principal: Principal, standing: Standing) {
  if (!factsOnly.has(action)) allow(rules, action, principal, standing)
}

async function projectFacts(
  db: Db,
  principal: Principal,
  id: number,
  action: string,
): Promise<Facts> {
  const row = await findProject(db, id)
  if (!row) throw notFound()
  const standing = projectStanding(principal, row)
  decide(projectRules, action, principal, standing)
  const newest = await findNewestDate(db, row)
  return {
    target: 'project',
    project_id: row.id,
    task_id: null,
    job_id: null,
    ...factsOf(standing),
    labels_revision: row.labels_revision,
    size: 0,
    dimension: '2d',
    subset: '',
    name: row.name,
    updated_date: newest.toISOString(),
    jobs: [],
  }
}

async function taskFacts(db: Db, principal: Principal, id: number, action: string): Promise<Facts> {
  const row = await findTask(db, id)
  if (!row) throw notFound()
  const standing = taskStanding(principal, row)
  decide(taskRules, action, principal, standing)
  return {
    target: 'task',
    project_id: row.project_id,
    task_id: row.id,
    job_id: null,
    ...factsOf(standing),
    labels_revision: row.project_labels_revision ?? row.labels_revision,
    size: row.size,
    dimension: row.dimension,
    subset: row.subset,
    name: row.name,
    updated_date: row.updated_date.toISOString(),
    jobs: await listRanges(db, id),
  }
}

async function jobFacts(db: Db, principal: Principal, id: number, action: string): Promise<Facts> {
  const row = await findJob(db, id)
  if (!row) throw notFound()
  const standing = jobStanding(principal, row)
  decide(jobRules, action, principal, standing)
  const { type, start_frame, stop_frame } = row
  return {
    target: 'job',
    project_id: row.project_id,
    task_id: row.task_id,
    job_id: row.id,
    ...factsOf(standing),
    labels_revision: row.project_labels_revision ?? row.task_labels_revision,
    size: row.task_size,
    dimension: row.dimension,
    subset: row.subset,
    name: row.task_name,
    updated_date: row.updated_date.toISOString(),
    jobs: [{ id, type, start_frame, stop_frame }],
  }
}

const factsOf = ({ organization_id, organization_role, relations }: Standing) => ({
  organization_id,
  organization_role,
  relations: [...relations],
})
