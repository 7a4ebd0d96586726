import { projectMoved } from '@reticle/contracts/events/projects'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { Project, ProjectPatch } from '@reticle/contracts/rest/projects'
import { invalidText } from '@reticle/kit/call/errors'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { Owner } from '../access/owner.ts'
import { projectRules } from '../access/project-policy.ts'
import {
  assertMayEnter,
  type MoveTarget,
  stillRunning,
  type WorkspaceMove,
} from '../access/workspace-move.ts'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { carryStorages } from '../storages/carry.ts'
import { cutSources } from '../storages/repo.ts'
import { lockTasksOfProject } from '../tasks/repo.ts'
import { moveTaskRows, unassignJobsOf } from '../tasks/repo-workspace-move.ts'
import { emitChanges, recordsIfFew } from './emit-changes.ts'
import { moveProjectRow } from './repo.ts'

type Tx = Transaction<ProjectsDb>

/**
 * Moves a project with its contents into another workspace. The caller becomes the owner of it and its tasks, and all
 * assignees are removed (`docs/spec/access.md#moving-between-workspaces`).
 *
 * @returns its record after the move
 */
export async function moveProject(
  tx: Tx,
  principal: Principal,
  move: WorkspaceMove<ProjectRow, Project, ProjectPatch>,
  cause: EventCause,
): Promise<Project> {
  const { row, before: record, body, organization_id } = move
  assertMayEnter(projectRules, principal, organization_id, move.isThere)
  if (move.is_busy) throw invalidText(stillRunning)
  await allowLongStatements(tx)
  const place: MoveTarget = { organization_id, owner_id: principal.user_id }
  const tasks = await lockTasksOfProject(tx, row.id)
  const before = await recordsIfFew(tx, { projects: [row], tasks })
  const ids = tasks.map(({ id }) => id)
  const main: Owner = { kind: 'project', id: row.id }
  const children = ids.map((id): Owner => ({ kind: 'task', id }))
  await carryStorages(tx, principal, { main, body, children }, place)
  await cutSources(tx, ids)
  const movedTasks = await moveTaskRows(tx, ids, place)
  // after the tasks, so that no later task date moves the date of the project again
  const moved = await moveProjectRow(tx, row.id, place)
  await unassignJobsOf(tx, ids)
  await emit(tx, projectMoved, { project_id: row.id, organization_id }, cause)
  const known = before ?? { projects: [record], tasks: [], jobs: [] }
  const objects = { projects: [moved], tasks: before ? movedTasks : [] }
  const [project = record] = await emitChanges(tx, known, objects, cause)
  return project
}
