import type { OpenDraft, OpenedDraft } from '@reticle/contracts/rest/drafts'
import type { Principal } from '@reticle/contracts/rest/principal'
import { invalidText, notFound } from '@reticle/kit'
import { assertPermitted } from '@reticle/kit/call/policy'
import type { Transaction } from 'kysely'
import { projectRules } from '../access/project-policy.ts'
import { workspaceStanding } from '../access/roles.ts'
import { projectStanding } from '../access/standing.ts'
import { taskRules } from '../access/task-policy.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { lockProject } from '../db/shared-rows.ts'
import { planNewLabels } from '../labels/plan.ts'
import { listOwnLabels } from '../labels/repo.ts'
import { writeLabels } from '../labels/repo-write.ts'
import { insertProject } from '../projects/repo.ts'
import { findOtherDimension } from '../tasks/repo.ts'
import { planDraftLabels } from './labels.ts'
import { insertDraft, setDraftProject } from './repo.ts'

type Tx = Transaction<ProjectsDb>

/**
 * Opens a draft: tasks of an existing project, tasks of a new project, or tasks without a project.
 *
 * @throws DomainError not_found, forbidden, invalid for labels
 */
export const openDraft = (
  tx: Tx,
  principal: Principal,
  request: OpenDraft,
): Promise<OpenedDraft> =>
  request.project_id === undefined
    ? openOwn(tx, principal, request)
    : openIn(tx, principal, request, request.project_id)

async function openIn(
  tx: Tx,
  principal: Principal,
  { draft_id, labels: items }: OpenDraft,
  project_id: number,
): Promise<OpenedDraft> {
  const project = await lockProject(tx, project_id)
  if (!project) throw notFound()
  assertPermitted(projectRules, 'import', principal, projectStanding(principal, project))
  if (await findOtherDimension(tx, project_id, { dimension: '2d' }))
    throw invalidText('The project has tasks of another dimension than 2d')
  const current = await listOwnLabels(tx, { kind: 'project', id: project_id })
  const labels = await planDraftLabels(tx, project_id, current, items)
  const { labels_revision: based_on, organization_id } = project
  const labels_revision = items.length > 0 ? based_on + 1 : based_on
  const plan = { labels: JSON.stringify(labels), labels_revision, based_on }
  const whose = { owner_id: principal.user_id, organization_id }
  await insertDraft(tx, { draft_id, target: 'project', project_id, ...whose, ...plan })
  return { project_id, labels_revision, labels }
}

/** Opens a draft in the workspace of the request. */
async function openOwn(
  tx: Tx,
  principal: Principal,
  { draft_id, project, labels }: OpenDraft,
): Promise<OpenedDraft> {
  const workspace = workspaceStanding(principal)
  assertPermitted(project ? projectRules : taskRules, 'create', principal, workspace)
  const whose = { owner_id: principal.user_id, organization_id: workspace.organization_id }
  await insertDraft(tx, { draft_id, target: project ? 'project' : 'task', ...whose })
  if (!project) return { project_id: null, labels_revision: 0, labels: [] }
  const { id, labels_revision } = await insertProject(tx, { ...project, draft_id })
  const owner = { kind: 'project', id } as const
  await writeLabels(tx, owner, [], await planNewLabels(labels))
  await setDraftProject(tx, draft_id, id)
  return { project_id: id, labels_revision, labels: await listOwnLabels(tx, owner) }
}
