import { taskMoved } from '@reticle/contracts/events/tasks'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { Task, TaskPatch } from '@reticle/contracts/rest/tasks'
import { invalid, invalidText } from '@reticle/kit/call/errors'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { Owner } from '../access/owner.ts'
import { taskRules } from '../access/task-policy.ts'
import {
  assertMayEnter,
  assertNothingElse,
  type MoveTarget,
  stillRunning,
  type WorkspaceMove,
} from '../access/workspace-move.ts'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { carryStorages } from '../storages/carry.ts'
import { cutSources } from '../storages/repo.ts'
import { emitTaskChanges, taskRecordsIfFew } from './emit-changes.ts'
import type { TaskView } from './repo.ts'
import { moveTaskRows, unassignJobsOf } from './repo-workspace-move.ts'

/**
 * Moves a task into another workspace. The caller becomes its owner, and the assignees of the task and its jobs are
 * removed.
 *
 * @returns the task after the move, and its record
 */
export async function moveTask(
  tx: Transaction<ProjectsDb>,
  principal: Principal,
  move: WorkspaceMove<TaskView, Task, TaskPatch>,
  cause: EventCause,
): Promise<{ row: TaskView; record: Task }> {
  const { row, before: record, body, organization_id } = move
  assertMayEnter(taskRules, principal, organization_id, move.isThere)
  if (move.is_busy) throw invalidText(stillRunning)
  await allowLongStatements(tx)
  const place: MoveTarget = { organization_id, owner_id: principal.user_id }
  const before = await taskRecordsIfFew(tx, [row])
  const main: Owner = { kind: 'task', id: row.id }
  await carryStorages(tx, principal, { main, body, children: [] }, place)
  await cutSources(tx, [row.id])
  const [moved = row] = await moveTaskRows(tx, [row.id], place)
  await unassignJobsOf(tx, [row.id])
  await emit(tx, taskMoved, { task_id: row.id, project_id: null, organization_id }, cause)
  const known = before ?? { tasks: [record], jobs: [] }
  const [after = record] = await emitTaskChanges(tx, known, [moved], cause)
  return { row: moved, record: after }
}

/** Checks that a task can move. @throws DomainError invalid for a task in a project, and for other fields in the body */
export function assertMovable({ project_id }: Pick<TaskView, 'project_id'>, body: TaskPatch): void {
  assertNothingElse(body)
  if (project_id !== null)
    throw invalid({
      organization_id: 'A task of a project stays in its workspace: move the project instead.',
    })
}
