import { taskCreated } from '@reticle/contracts/events/tasks'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { Task, TaskCreate } from '@reticle/contracts/rest/tasks'
import { invalid, invalidText } from '@reticle/kit/call/errors'
import { assertPermitted } from '@reticle/kit/call/policy'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { projectRules } from '../access/project-policy.ts'
import { workspaceStanding } from '../access/roles.ts'
import { projectStanding } from '../access/standing.ts'
import { taskRules } from '../access/task-policy.ts'
import { noSuchObject } from '../bodies/field-error.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { lockProject, touchProject } from '../db/shared-rows.ts'
import { planNewLabels } from '../labels/plan.ts'
import { writeLabels } from '../labels/repo-write.ts'
import { checkPeople, holdOrganization } from '../organizations/index.ts'
import { checkStorages } from '../storages/check.ts'
import { planStorages } from '../storages/plan.ts'
import { setStorages } from '../storages/repo.ts'
import { taskRecord } from './records.ts'
import { findTask, insertTask, type TaskView } from './repo.ts'

type Tx = Transaction<ProjectsDb>
export interface CreateSettings {
  /** Limit on replicas of each job of a task. */
  maxConsensusReplicas: number
}

export const managedLabels = 'Labels of a task in a project are managed in the project'
export const otherOrganization = 'The task and its project should be in the same organization.'

/** Creates a task without media and emits its `create:task` event. */
export async function createTask(
  tx: Tx,
  principal: Principal,
  { project_id = null, labels = [], ...body }: TaskCreate,
  settings: CreateSettings,
  cause: EventCause,
): Promise<{ row: TaskView; record: Task }> {
  const project = project_id === null ? null : await lockTarget(tx, principal, project_id)
  const organization_id = project
    ? organizationOf(principal, project)
    : await enterWorkspace(tx, principal)
  if (project && labels.length > 0) throw invalidText(managedLabels)
  const { owner_id, assignee_id, source_storage, target_storage, ...columns } = body
  await checkPeople(tx, principal, { owner_id, assignee_id }, organization_id)
  checkReplicas(body.consensus_replicas, settings)
  const wanted = planStorages({ source_storage, target_storage })
  const storages = await checkStorages(tx, principal, wanted, organization_id)
  const plan = await planNewLabels(labels)
  const id = await insertTask(tx, {
    ...columns,
    project_id,
    organization_id,
    owner_id: owner_id ?? principal.user_id,
    assignee_id,
    assignee_updated_date: assignee_id == null ? null : new Date(),
  })
  const owner = { kind: 'task', id } as const
  await setStorages(tx, owner, storages)
  await writeLabels(tx, owner, [], plan)
  await touchProject(tx, project_id)
  const row = await findTask(tx, id)
  if (!row) throw new Error(`task ${id} was not inserted`)
  const record = await taskRecord(tx, row)
  await emit(tx, taskCreated, { task: record }, cause)
  return { row, record }
}

/**
 * Checks the number of consensus replicas. One replica is rejected, because consensus needs at least two. @throws
 * DomainError invalid
 */
export function checkReplicas(wanted = 0, { maxConsensusReplicas: most }: CreateSettings): void {
  if (wanted === 1 || wanted > most)
    throw invalid({ consensus_replicas: `Ensure this value is 0, or from 2 to ${most}.` })
}

/** Returns the organization of the project, which the workspace of the request must match. */
function organizationOf({ scope }: Principal, { organization_id }: ProjectRow): number | null {
  if (scope && scope.organization_id !== organization_id) throw invalidText(otherOrganization)
  return organization_id
}

/** Without a project a task is created in the workspace of the request. */
async function enterWorkspace(tx: Tx, principal: Principal): Promise<number | null> {
  const workspace = workspaceStanding(principal)
  assertPermitted(taskRules, 'create', principal, workspace)
  await holdOrganization(tx, workspace.organization_id)
  return workspace.organization_id
}

/**
 * Locks the project that a body names. It must exist (400), and the caller must be allowed to view it and to create
 * tasks in it (403).
 */
export async function lockTarget(
  tx: Tx,
  principal: Principal,
  project_id: number,
): Promise<ProjectRow> {
  const project = await lockProject(tx, project_id)
  if (!project) throw invalid({ project_id: noSuchObject(project_id) })
  const standing = projectStanding(principal, project)
  assertPermitted(projectRules, 'view', principal, standing)
  assertPermitted(projectRules, 'create:task', principal, standing)
  return project
}
