import type { OperationInput } from '@reticle/contracts/api/operation'
import type { tasks } from '@reticle/contracts/api/tasks'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { Task, TaskPatch } from '@reticle/contracts/rest/tasks'
import { invalid, invalidText, notFound, type Service, signedIn } from '@reticle/kit'
import { assertMatches } from '@reticle/kit/call/etag'
import { assertPermitted } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import type { EventCause } from '@reticle/kit/outbox/emit'
import type { Kysely, Transaction } from 'kysely'
import { allowPatch } from '../access/patch-rights.ts'
import { taskStanding } from '../access/standing.ts'
import { taskRules } from '../access/task-policy.ts'
import { changesTo } from '../bodies/changes.ts'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectsDb, TaskRow } from '../db/schema.ts'
import { touchProject } from '../db/shared-rows.ts'
import { planLabels } from '../labels/plan.ts'
import { listOwnLabels } from '../labels/repo.ts'
import { checkPeople, lockNamedOrganization } from '../organizations/index.ts'
import { checkStorages } from '../storages/check.ts'
import { planStorages } from '../storages/plan.ts'
import { changeTask, type TaskChange } from './change.ts'
import {
  type CreateSettings,
  createTask,
  lockTarget,
  managedLabels,
  otherOrganization,
} from './create.ts'
import { emitDeletedTask } from './deleted.ts'
import { listTasks } from './list.ts'
import { shownTask } from './messages.ts'
import { type Move, mapLabels } from './move.ts'
import { taskRecord, taskRecords } from './records.ts'
import {
  deleteTask,
  findOtherDimension,
  findTask,
  lockTaskAndProject,
  type TaskView,
} from './repo.ts'
import { assertMovable, moveTask } from './workspace-move.ts'

type Tx = Transaction<ProjectsDb>
type Handlers = Pick<
  Service<typeof tasks>,
  'listTasks' | 'createTask' | 'getTask' | 'updateTask' | 'deleteTask'
>

export interface TaskDeps {
  db: Kysely<ProjectsDb>
  settings: CreateSettings
}

/** Action behind each key of a PATCH. */
const rights = {
  name: 'update',
  labels: 'update',
  bug_tracker: 'update',
  subset: 'update',
  owner_id: 'update:owner',
  assignee_id: 'update:assignee',
  project_id: 'update:project',
  source_storage: 'update:storages',
  target_storage: 'update:storages',
  organization_id: 'delete',
} as const satisfies Record<keyof TaskPatch, string>

/** Builds the handlers of tasks. */
export function taskHandlers({ db, settings }: TaskDeps): Handlers {
  return {
    async listTasks(query, context) {
      const principal = signedIn(context)
      const { count, results } = await listTasks(db, principal, query)
      const records = await taskRecords(db, results)
      const shown = results.flatMap((row, index) => {
        const record = records[index]
        return record ? [shownTask(principal, row, record)] : []
      })
      return { count, results: shown }
    },

    async createTask({ body }, context) {
      const principal = signedIn(context)
      return runChange(db, context, async (tx) => {
        const { row, record } = await createTask(tx, principal, body, settings, context)
        return shownTask(principal, row, record)
      })
    },

    async getTask({ id }, context) {
      const principal = signedIn(context)
      const row = await findTask(db, id)
      if (!row) throw notFound()
      assertPermitted(taskRules, 'view', principal, taskStanding(principal, row))
      return shownTask(principal, row, await taskRecord(db, row))
    },

    async updateTask(input, context) {
      const principal = signedIn(context)
      return runChange(db, { ...context, row: `task:${input.id}` }, async (tx) => {
        const { row, record } = await update(tx, principal, input, context)
        return shownTask(principal, row, record)
      })
    },

    async deleteTask({ id, if_match }, context) {
      const principal = signedIn(context)
      await runChange(db, { ...context, row: `task:${id}` }, async (tx) => {
        const row = await lockTaskAndProject(tx, id)
        if (!row) throw notFound()
        assertPermitted(taskRules, 'delete', principal, taskStanding(principal, row))
        assertMatches(if_match, row)
        await allowLongStatements(tx)
        await emitDeletedTask(tx, row, context)
        await deleteTask(tx, id)
        await touchProject(tx, row.project_id)
      })
    },
  }
}

/** Locks the organization before the task, as everywhere. */
async function update(
  tx: Tx,
  principal: Principal,
  { id, body, if_match, is_busy }: OperationInput<typeof tasks.updateTask>,
  cause: EventCause,
) {
  const { organization_id } = body
  const isThere = await lockNamedOrganization(tx, organization_id)
  const row = await lockTaskAndProject(tx, id, body.project_id)
  if (!row) throw notFound()
  allowPatch(taskRules, rights, body, principal, taskStanding(principal, row))
  const before = await taskRecord(tx, row)
  if (organization_id !== undefined) assertMovable(row, body)
  if (organization_id !== undefined && organization_id !== row.organization_id) {
    assertMatches(if_match, row)
    const move = { row, before, body, organization_id, isThere, is_busy }
    return moveTask(tx, principal, move, cause)
  }
  const planned = await planChange(tx, principal, { row, before, body })
  assertMatches(if_match, row)
  return changeTask(tx, row, before, planned, cause)
}

interface PatchInput {
  row: TaskView
  before: Task
  body: TaskPatch
}

async function planChange(
  tx: Tx,
  principal: Principal,
  { row, before, body }: PatchInput,
): Promise<TaskChange> {
  const { name, bug_tracker, subset, owner_id, assignee_id } = body
  const wanted = { name, bug_tracker, subset, owner_id, assignee_id }
  const columns = changesTo<Partial<TaskRow>>(row, wanted)
  const people = { owner_id: columns.owner_id, assignee_id: columns.assignee_id }
  await checkPeople(tx, principal, people, row.organization_id)
  if (columns.assignee_id !== undefined) columns.assignee_updated_date = new Date()
  const move = await planMove(tx, principal, { row, before, body })
  if (!move && row.project_id !== null && body.labels?.length) throw invalidText(managedLabels)
  const relabels = !move && row.project_id === null && body.labels
  return {
    columns,
    storages: await checkStorages(tx, principal, planStorages(body, before), row.organization_id),
    labels: relabels ? await planLabels(before.labels, relabels) : undefined,
    move,
  }
}

async function planMove(
  tx: Tx,
  principal: Principal,
  { row, before, body }: PatchInput,
): Promise<Move | undefined> {
  const { project_id } = body
  if (project_id === null)
    throw invalid({ project_id: 'A task cannot be moved out of its project.' })
  if (project_id === undefined || project_id === row.project_id) return undefined
  const project = await lockTarget(tx, principal, project_id)
  if (project.organization_id !== row.organization_id) throw invalidText(otherOrganization)
  if (row.size > 0 && (await findOtherDimension(tx, project_id, row)))
    throw invalidText(`The project has tasks of another dimension than ${row.dimension}`)
  const target = await listOwnLabels(tx, { kind: 'project', id: project_id })
  return { project, ...mapLabels(before.labels, target, body.labels) }
}
