import type { OperationInput } from '@reticle/contracts/api/operation'
import type { tasks } from '@reticle/contracts/api/tasks'
import { projectCreated } from '@reticle/contracts/events/projects'
import { draftDropped } from '@reticle/contracts/events/tasks'
import type { PublishedDraft } from '@reticle/contracts/rest/drafts'
import { type CallContext, conflict, forbidden, notFound, signedIn } from '@reticle/kit'
import { assertPermitted } from '@reticle/kit/call/policy'
import { applyOnce } from '@reticle/kit/keys/applied-calls'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { projectRules } from '../access/project-policy.ts'
import { projectStanding } from '../access/standing.ts'
import { allowLongStatements } from '../db/long.ts'
import type { DraftRow, ProjectRow, ProjectsDb } from '../db/schema.ts'
import { lockProject, touchProject } from '../db/shared-rows.ts'
import { holdOrganization } from '../organizations/index.ts'
import { projectRecord } from '../projects/records.ts'
import { emitPublished } from './emit-published.ts'
import { publishLabels } from './labels.ts'
import {
  deleteDraft,
  deleteDraftContents,
  findDraft,
  lockDraft,
  lockTasksOfDraft,
  publishProjectRow,
  publishTaskRows,
} from './repo.ts'

type Tx = Transaction<ProjectsDb>

/**
 * Publishes a draft in one transaction: first the new project, or the new labels of the existing project; then the
 * tasks with their jobs and issues. Emits an event for each. A repeated `call_id` changes nothing and returns the same
 * result.
 *
 * @throws DomainError not_found when the draft or project is deleted, forbidden, conflict when the labels of the
 * existing project changed after the draft was opened
 */
export function publishDraft(
  tx: Tx,
  { draft_id, call_id }: OperationInput<typeof tasks.publishDraft>,
  context: CallContext,
): Promise<PublishedDraft> {
  return applyOnce(tx, call_id, async () => {
    await allowLongStatements(tx)
    const { draft, project } = await lockAll(tx, draft_id)
    const { project_id, owner_id } = draft
    if (owner_id !== signedIn(context).user_id) throw forbidden()
    const isNewProject = project?.draft_id === draft_id
    const { organization_id } = project && !isNewProject ? project : draft
    if (isNewProject) await publishProject(tx, project, draft, context)
    else if (project) await publishIntoProject(tx, project, draft, context)
    const task_ids = (await lockTasksOfDraft(tx, draft_id)).map(({ id }) => id)
    const rows = await publishTaskRows(tx, task_ids, { project_id, organization_id, owner_id })
    await deleteDraft(tx, draft_id)
    await emitPublished(tx, rows, context)
    return { project_id, task_ids }
  })
}

/**
 * Locks in the order of the whole service: organization, project, then the rows in it. Without `based_on` the draft
 * does not belong to an existing project, so its rows become new rows of the organization.
 */
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
  cause: EventCause,
): Promise<void> {
  const project = await projectRecord(tx, await publishProjectRow(tx, id, draft))
  await emit(tx, projectCreated, { project }, cause)
}

/** Checks that the draft still fits the existing project, and adds the new labels of the draft to it. */
async function publishIntoProject(
  tx: Tx,
  project: ProjectRow,
  draft: DraftRow,
  context: CallContext,
): Promise<void> {
  const principal = signedIn(context)
  assertPermitted(projectRules, 'import', principal, projectStanding(principal, project))
  if (project.labels_revision !== draft.based_on)
    throw conflict('The labels of the project were changed during the import. Start it again.')
  await publishLabels(tx, project, draft, context)
  await touchProject(tx, project.id)
}

/**
 * Deletes a draft with its project and tasks, and emits an event for services that store data of these tasks. Does
 * nothing after the draft was published.
 */
export async function dropDraft(tx: Tx, draft_id: string, cause: EventCause): Promise<void> {
  if (!(await lockDraft(tx, draft_id))) return
  const task_ids = (await lockTasksOfDraft(tx, draft_id)).map(({ id }) => id)
  await allowLongStatements(tx)
  await deleteDraftContents(tx, draft_id)
  await deleteDraft(tx, draft_id)
  if (task_ids.length > 0) await emit(tx, draftDropped, { draft_id, task_ids }, cause)
}
