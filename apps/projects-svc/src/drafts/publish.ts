import type { Input } from '@reticle/contracts/api/operation'
import type { tasks } from '@reticle/contracts/api/tasks'
import { projectCreated } from '@reticle/contracts/events/projects'
import { draftDropped } from '@reticle/contracts/events/tasks'
import type { PublishedDraft } from '@reticle/contracts/rest/drafts'
import { type Context, conflict, forbidden, notFound, signedIn } from '@reticle/kit'
import { applyOnce } from '@reticle/kit/outbox/calls'
import { type Cause, emit } from '@reticle/kit/outbox/emit'
import { allow } from '@reticle/kit/policy'
import type { Transaction } from 'kysely'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { holdOrganization } from '../organizations/index.ts'
import { projectRules } from '../projects/policy.ts'
import { projectRecord } from '../projects/records.ts'
import { lockProject, touchProject } from '../projects/repo.ts'
import { projectStanding } from '../standing.ts'
import { publishLabels } from './labels.ts'
import {
  type DraftRow,
  deleteDraft,
  deleteInDraft,
  findDraft,
  lockDraft,
  lockTasksOfDraft,
  showProject,
  showTasks,
} from './repo.ts'
import { tellOf } from './tell.ts'

type Tx = Transaction<ProjectsDb>

/**
 * All of a draft is there from this one transaction on: labels of the project that there is, or the new one, then tasks with their
 * jobs and issues, each with its event. With a `call_id` that was here before nothing happens, and the answer is the same.
 *
 * @throws DomainError not_found when draft or project are gone, conflict when the labels are not those that it was made for
 */
export function publishDraft(
  tx: Tx,
  { draft_id, call_id }: Input<typeof tasks.publishDraft>,
  context: Context,
): Promise<PublishedDraft> {
  return applyOnce(tx, call_id, async () => {
    await allowLongStatements(tx)
    const { draft, project } = await lockAll(tx, draft_id)
    const { project_id, owner_id } = draft
    if (owner_id !== signedIn(context).user_id) throw forbidden()
    const isNew = project?.draft_id === draft_id
    const { organization_id } = project && !isNew ? project : draft
    if (isNew) await publishProject(tx, project, draft, context)
    else if (project) await joinProject(tx, project, draft, context)
    const task_ids = (await lockTasksOfDraft(tx, draft_id)).map(({ id }) => id)
    const rows = await showTasks(tx, task_ids, { project_id, organization_id, owner_id })
    await deleteDraft(tx, draft_id)
    await tellOf(tx, rows, context)
    return { project_id, task_ids }
  })
}

/** The organization before the project, and that before what is in it, as everywhere. */
async function lockAll(tx: Tx, draft_id: string) {
  const seen = await findDraft(tx, draft_id)
  if (!seen) throw notFound()
  if (seen.based_on === null) await holdOrganization(tx, seen.organization_id)
  const project = seen.project_id === null ? undefined : await lockProject(tx, seen.project_id)
  const draft = await lockDraft(tx, draft_id)
  if (!draft || (draft.target === 'project' && !project)) throw notFound()
  return { draft, project }
}

async function publishProject(
  tx: Tx,
  { id }: ProjectRow,
  draft: DraftRow,
  cause: Cause,
): Promise<void> {
  const project = await projectRecord(tx, await showProject(tx, id, draft))
  await emit(tx, projectCreated, { project }, cause)
}

async function joinProject(
  tx: Tx,
  project: ProjectRow,
  draft: DraftRow,
  context: Context,
): Promise<void> {
  const principal = signedIn(context)
  allow(projectRules, 'import', principal, projectStanding(principal, project))
  if (project.labels_revision !== draft.based_on)
    throw conflict('The labels of the project were changed during the import. Start it again.')
  await publishLabels(tx, project, draft, context)
  await touchProject(tx, project.id)
}

/** What is left of a draft goes, and those are told who keep something for its tasks. Of one that was published nothing is left. */
export async function dropDraft(tx: Tx, draft_id: string, cause: Cause): Promise<void> {
  if (!(await lockDraft(tx, draft_id))) return
  const task_ids = (await lockTasksOfDraft(tx, draft_id)).map(({ id }) => id)
  await allowLongStatements(tx)
  await deleteInDraft(tx, draft_id)
  await deleteDraft(tx, draft_id)
  if (task_ids.length > 0) await emit(tx, draftDropped, { draft_id, task_ids }, cause)
}
