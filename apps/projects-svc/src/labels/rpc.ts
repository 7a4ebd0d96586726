import type { labels } from '@reticle/contracts/api/labels'
import type { Input } from '@reticle/contracts/api/operation'
import type { Principal } from '@reticle/contracts/principal'
import type { Label } from '@reticle/contracts/rest/labels'
import { invalid, invalidText, notFound, type Service, signedIn } from '@reticle/kit'
import { change } from '@reticle/kit/db/change'
import { allow } from '@reticle/kit/policy'
import type { Kysely } from 'kysely'
import type { LabelRow, ProjectsDb } from '../db/schema.ts'
import { jobRules } from '../jobs/policy.ts'
import { findJob } from '../jobs/repo.ts'
import { type Owner, ownerOf } from '../owner.ts'
import { projectRules } from '../projects/policy.ts'
import { findProject } from '../projects/repo.ts'
import { jobStanding, projectStanding, taskStanding } from '../standing.ts'
import { labelOwner } from '../tasks/messages.ts'
import { taskRules } from '../tasks/policy.ts'
import { findTask } from '../tasks/repo.ts'
import { changeOwnedLabels } from './change.ts'
import { listLabels } from './list.ts'
import { planLabels, planOneLabel } from './plan.ts'
import { findLabel, listOwnLabels, toRecords } from './repo.ts'

type Db = Kysely<ProjectsDb>

/** Labels of projects and tasks: `spec/api-workspace.md` 4.3. */
export function labelHandlers({ db }: { db: Db }): Service<typeof labels> {
  return {
    async listLabels(query, context) {
      const principal = signedIn(context)
      const owner = await findOwner(db, principal, query)
      const { count, results } = await listLabels(db, principal, query, owner)
      return { count, results: await toRecords(db, results) }
    },

    async getLabel({ id }, context) {
      const row = await findLabel(db, id)
      if (!row) throw notFound()
      await allowView(db, signedIn(context), ownerOf(row))
      return record(db, row)
    },

    async updateLabel({ id, body }, context) {
      return change(db, context, async (tx) => {
        const row = await findLabel(tx, id)
        if (!row) throw notFound()
        const plan = (current: readonly Label[]) => {
          refuseSublabel(row)
          if (body.deleted) throw invalid({ deleted: 'Use DELETE to remove a label.' })
          refuseGone(current, id)
          return planOneLabel(current, id, body)
        }
        await changeOwnedLabels(tx, ownerOf(row), plan, context)
        const changed = await findLabel(tx, id)
        if (!changed) throw notFound()
        return record(tx, changed)
      })
    },

    async deleteLabel({ id }, context) {
      await change(db, context, async (tx) => {
        const row = await findLabel(tx, id)
        if (!row) throw notFound()
        const plan = (current: readonly Label[]) => {
          refuseSublabel(row)
          refuseGone(current, id)
          return planLabels(current, [{ id, deleted: true }])
        }
        await changeOwnedLabels(tx, ownerOf(row), plan, context)
      })
    },

    async getLabelSet({ task_id }) {
      const task = await findTask(db, task_id)
      if (!task) throw notFound()
      return {
        labels_revision: task.project_labels_revision ?? task.labels_revision,
        labels: await listOwnLabels(db, labelOwner(task)),
      }
    },
  }
}

async function record(db: Db, row: LabelRow): Promise<Label> {
  const [label] = await toRecords(db, [row])
  if (!label) throw new Error(`label ${row.id} has no record`)
  return label
}

function refuseSublabel({ parent_id }: LabelRow) {
  if (parent_id !== null) throw invalidText(`Change the skeleton #${parent_id} of this sublabel`)
}

/** Somebody removed it between the look and the lock. */
function refuseGone(current: readonly Label[], id: number) {
  if (!current.some((one) => one.id === id)) throw notFound()
}

type Query = Input<(typeof labels)['listLabels']>

/** Whose labels are asked for; null: no owner is named. */
async function findOwner(
  db: Db,
  principal: Principal,
  { project_id, task_id, job_id }: Query,
): Promise<Owner | null> {
  const named = [project_id, task_id, job_id].filter((id) => id !== undefined)
  if (named.length > 1) throw invalidText('Only one of project_id, task_id and job_id can be given')
  if (job_id !== undefined) return ownerByJob(db, principal, job_id)
  if (task_id !== undefined) return allowView(db, principal, { kind: 'task', id: task_id })
  if (project_id === undefined) return null
  return allowView(db, principal, { kind: 'project', id: project_id })
}

async function ownerByJob(db: Db, principal: Principal, id: number): Promise<Owner> {
  const job = await findJob(db, id)
  if (!job) throw notFound()
  allow(jobRules, 'view', principal, jobStanding(principal, job))
  return labelOwner({ id: job.task_id, project_id: job.project_id })
}

/** The owner whose labels those are: of a task in a project, the project. */
async function allowView(db: Db, principal: Principal, { kind, id }: Owner): Promise<Owner> {
  if (kind === 'task') {
    const task = await findTask(db, id)
    if (!task) throw notFound()
    allow(taskRules, 'view', principal, taskStanding(principal, task))
    return labelOwner(task)
  }
  const project = await findProject(db, id)
  if (!project) throw notFound()
  allow(projectRules, 'view', principal, projectStanding(principal, project))
  return { kind, id }
}
