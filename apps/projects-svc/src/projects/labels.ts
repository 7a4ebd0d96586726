import { type CallContext, notFound, signedIn } from '@reticle/kit'
import { assertPermitted } from '@reticle/kit/call/policy'
import type { Transaction } from 'kysely'
import type { Owner } from '../access/owner.ts'
import { projectRules } from '../access/project-policy.ts'
import { projectStanding, taskStanding } from '../access/standing.ts'
import { taskRules } from '../access/task-policy.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { lockProject } from '../db/shared-rows.ts'
import type { PlanLabels } from '../labels/plan.ts'
import { changeTask } from '../tasks/change.ts'
import { taskRecord } from '../tasks/records.ts'
import { lockTask } from '../tasks/repo.ts'
import { changeProject } from './change.ts'
import { projectRecord } from './records.ts'

/**
 * Changes the labels of a project or task by a call other than its PATCH, with the same permission, events and dates.
 *
 * @param plan plans the new labels from the current ones; called after the permission check
 */
export async function changeOwnedLabels(
  tx: Transaction<ProjectsDb>,
  { kind, id }: Owner,
  plan: PlanLabels,
  context: CallContext,
): Promise<void> {
  const change = kind === 'project' ? inProject : inTask
  await change(tx, id, plan, context)
}

const nothingElse = { columns: {}, storages: [] }

async function inProject(
  tx: Transaction<ProjectsDb>,
  id: number,
  plan: PlanLabels,
  context: CallContext,
) {
  const principal = signedIn(context)
  const row = await lockProject(tx, id)
  if (!row) throw notFound()
  assertPermitted(projectRules, 'update', principal, projectStanding(principal, row))
  const before = await projectRecord(tx, row)
  await changeProject(
    tx,
    row,
    before,
    { ...nothingElse, labels: await plan(before.labels) },
    context,
  )
}

async function inTask(
  tx: Transaction<ProjectsDb>,
  id: number,
  plan: PlanLabels,
  context: CallContext,
) {
  const principal = signedIn(context)
  const row = await lockTask(tx, id)
  if (!row) throw notFound()
  assertPermitted(taskRules, 'update', principal, taskStanding(principal, row))
  const before = await taskRecord(tx, row)
  await changeTask(tx, row, before, { ...nothingElse, labels: await plan(before.labels) }, context)
}
