import type { Input } from '@reticle/contracts/api/operation'
import type { tasks } from '@reticle/contracts/api/tasks'
import { draftDropped, jobCreated, taskCreated } from '@reticle/contracts/events/tasks'
import { type Context, conflict, notFound, signedIn } from '@reticle/kit'
import { applyOnce } from '@reticle/kit/outbox/calls'
import { type Cause, emit, emitAll } from '@reticle/kit/outbox/emit'
import { allow } from '@reticle/kit/policy'
import type { Transaction } from 'kysely'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { jobRecords } from '../jobs/records.ts'
import { listJobsOf } from '../jobs/repo.ts'
import { projectRules } from '../projects/policy.ts'
import { lockProject, touchProject } from '../projects/repo.ts'
import { projectStanding } from '../standing.ts'
import { mostEvents } from '../tasks/deleted.ts'
import { taskRecords } from '../tasks/records.ts'
import type { TaskView } from '../tasks/repo.ts'
import { publishLabels } from './labels.ts'
import {
  deleteDraft,
  deleteTasksOfDraft,
  findDraft,
  lockDraft,
  lockTasksOfDraft,
  showTasks,
} from './repo.ts'

type Tx = Transaction<ProjectsDb>

/**
 * All of a draft becomes part of its project in this one transaction: labels, then tasks with their jobs, each with its event.
 * With a `call_id` that was here before nothing happens.
 *
 * @throws DomainError not_found when draft or project are gone, conflict when the labels are not those that it was made for
 */
export function publishDraft(
  tx: Tx,
  { draft_id, call_id }: Input<typeof tasks.publishDraft>,
  context: Context,
): Promise<null> {
  return applyOnce(tx, call_id, async () => {
    const principal = signedIn(context)
    await allowLongStatements(tx)
    const seen = await findDraft(tx, draft_id)
    // The project before what is in it, as everywhere.
    const project = seen?.project_id == null ? undefined : await lockProject(tx, seen.project_id)
    const draft = await lockDraft(tx, draft_id)
    if (!project || !draft) throw notFound()
    allow(projectRules, 'import', principal, projectStanding(principal, project))
    if (project.labels_revision !== draft.based_on)
      throw conflict('The labels of the project were changed during the import. Start it again.')
    await publishLabels(tx, project, draft, context)
    const { id: project_id, organization_id } = project
    const ids = (await lockTasksOfDraft(tx, draft_id)).map(({ id }) => id)
    const owner_id = principal.user_id
    const rows = await showTasks(tx, ids, { project_id, organization_id, owner_id })
    await deleteDraft(tx, draft_id)
    await touchProject(tx, project_id)
    await tellOf(tx, rows, context)
    return null
  })
}

async function tellOf(tx: Tx, rows: readonly TaskView[], cause: Cause): Promise<void> {
  const records = await taskRecords(tx, rows)
  const created = records.map((task) => ({ task }))
  await emitAll(tx, taskCreated, created, cause)
  const count = records.reduce((sum, { jobs }) => sum + jobs.count, 0)
  if (count + records.length > mostEvents) return
  const jobs = await jobRecords(
    tx,
    await listJobsOf(
      tx,
      rows.map(({ id }) => id),
    ),
  )
  const facts = jobs.map((job) => ({ job }))
  await emitAll(tx, jobCreated, facts, cause)
}

/** What is left of a draft goes, and those are told who keep something for its tasks. Of one that was published nothing is left. */
export async function dropDraft(tx: Tx, draft_id: string, cause: Cause): Promise<void> {
  if (!(await lockDraft(tx, draft_id))) return
  const task_ids = (await lockTasksOfDraft(tx, draft_id)).map(({ id }) => id)
  await allowLongStatements(tx)
  await deleteTasksOfDraft(tx, draft_id)
  await deleteDraft(tx, draft_id)
  if (task_ids.length > 0) await emit(tx, draftDropped, { draft_id, task_ids }, cause)
}
