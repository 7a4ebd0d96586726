import type { OperationInput } from '@reticle/contracts/api/operation'
import type { projects } from '@reticle/contracts/api/projects'
import { projectCreated, projectDeleted } from '@reticle/contracts/events/projects'
import type { Principal } from '@reticle/contracts/rest/principal'
import type { Project, ProjectCreate, ProjectPatch } from '@reticle/contracts/rest/projects'
import { type CallContext, notFound, type Service, signedIn } from '@reticle/kit'
import { assertMatches } from '@reticle/kit/call/etag'
import { assertPermitted } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import { emit } from '@reticle/kit/outbox/emit'
import type { Kysely, Transaction } from 'kysely'
import { allowPatch } from '../access/patch-rights.ts'
import { projectRules } from '../access/project-policy.ts'
import { workspaceStanding } from '../access/roles.ts'
import { projectStanding } from '../access/standing.ts'
import { assertNothingElse } from '../access/workspace-move.ts'
import { changesTo } from '../bodies/changes.ts'
import { allowLongStatements } from '../db/long.ts'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { lockProject } from '../db/shared-rows.ts'
import { planLabels, planNewLabels } from '../labels/plan.ts'
import { writeLabels } from '../labels/repo-write.ts'
import { checkPeople, holdOrganization, lockNamedOrganization } from '../organizations/index.ts'
import { checkStorages } from '../storages/check.ts'
import { planStorages } from '../storages/plan.ts'
import { setStorages } from '../storages/repo.ts'
import { emitDeletedTasks } from '../tasks/deleted.ts'
import { lockTasksOfProject } from '../tasks/repo.ts'
import { changeProject, type ProjectChange } from './change.ts'
import { listProjects } from './list.ts'
import { projectRecord, projectRecords } from './records.ts'
import { deleteProject, findProject, insertProject } from './repo.ts'
import { moveProject } from './workspace-move.ts'

/** Action behind each key of a PATCH. */
const rights = {
  name: 'update',
  labels: 'update',
  bug_tracker: 'update',
  status: 'update',
  assignee_id: 'update:assignee',
  owner_id: 'update:owner',
  source_storage: 'update:storages',
  target_storage: 'update:storages',
  organization_id: 'delete',
} as const satisfies Record<keyof ProjectPatch, string>

/** Builds the handlers of projects. */
export function projectHandlers({ db }: { db: Kysely<ProjectsDb> }): Service<typeof projects> {
  return {
    async listProjects(query, context) {
      const { count, results } = await listProjects(db, signedIn(context), query)
      return { count, results: await projectRecords(db, results) }
    },

    async createProject({ body }, context) {
      const principal = signedIn(context)
      assertPermitted(projectRules, 'create', principal, workspaceStanding(principal))
      return runChange(db, context, async (tx) => {
        const project = await create(tx, principal, body)
        await emit(tx, projectCreated, { project }, context)
        return project
      })
    },

    async getProject({ id }, context) {
      const principal = signedIn(context)
      const row = await findProject(db, id)
      if (!row) throw notFound()
      assertPermitted(projectRules, 'view', principal, projectStanding(principal, row))
      return projectRecord(db, row)
    },

    async updateProject(input, context) {
      const row = `project:${input.id}`
      return runChange(db, { ...context, row }, (tx) => update(tx, input, context))
    },

    async deleteProject({ id, if_match }, context) {
      const principal = signedIn(context)
      await runChange(db, { ...context, row: `project:${id}` }, async (tx) => {
        const row = await lockProject(tx, id)
        if (!row) throw notFound()
        assertPermitted(projectRules, 'delete', principal, projectStanding(principal, row))
        assertMatches(if_match, row)
        await allowLongStatements(tx)
        const tasks = await lockTasksOfProject(tx, id)
        await emitDeletedTasks(tx, tasks, context)
        const project = await projectRecord(tx, row)
        const task_ids = tasks.map((task) => task.id)
        await emit(tx, projectDeleted, { project, task_ids }, context)
        await deleteProject(tx, id)
      })
    },
  }
}

async function create(
  tx: Transaction<ProjectsDb>,
  principal: Principal,
  { name, bug_tracker, owner_id, assignee_id, labels = [], ...body }: ProjectCreate,
): Promise<Project> {
  const { organization_id } = workspaceStanding(principal)
  await holdOrganization(tx, organization_id)
  await checkPeople(tx, principal, { owner_id, assignee_id }, organization_id)
  const storages = await checkStorages(tx, principal, planStorages(body), organization_id)
  const plan = await planNewLabels(labels)
  const row = await insertProject(tx, {
    name,
    bug_tracker,
    organization_id,
    owner_id: owner_id ?? principal.user_id,
    assignee_id,
    assignee_updated_date: assignee_id == null ? null : new Date(),
  })
  const owner = { kind: 'project', id: row.id } as const
  await setStorages(tx, owner, storages)
  await writeLabels(tx, owner, [], plan)
  return projectRecord(tx, row)
}

/** Locks the organization before the project, as everywhere. */
async function update(
  tx: Transaction<ProjectsDb>,
  { id, body, if_match, is_busy }: Update,
  context: CallContext,
): Promise<Project> {
  const principal = signedIn(context)
  const { organization_id } = body
  const isThere = await lockNamedOrganization(tx, organization_id)
  const row = await lockProject(tx, id)
  if (!row) throw notFound()
  allowPatch(projectRules, rights, body, principal, projectStanding(principal, row))
  const before = await projectRecord(tx, row)
  if (organization_id !== undefined) assertNothingElse(body)
  if (organization_id !== undefined && organization_id !== row.organization_id) {
    assertMatches(if_match, row)
    const move = { row, before, body, organization_id, isThere, is_busy }
    return moveProject(tx, principal, move, context)
  }
  const planned = await planChange(tx, principal, { row, before, body })
  assertMatches(if_match, row)
  return changeProject(tx, row, before, planned, context)
}
type Update = OperationInput<typeof projects.updateProject>

interface PatchInput {
  row: ProjectRow
  before: Project
  body: ProjectPatch
}

async function planChange(
  tx: Transaction<ProjectsDb>,
  principal: Principal,
  { row, before, body }: PatchInput,
): Promise<ProjectChange> {
  const { name, bug_tracker, status, owner_id, assignee_id } = body
  const wanted = { name, bug_tracker, status, owner_id, assignee_id }
  const columns = changesTo<Partial<ProjectRow>>(row, wanted)
  const people = { owner_id: columns.owner_id, assignee_id: columns.assignee_id }
  await checkPeople(tx, principal, people, row.organization_id)
  if (columns.assignee_id !== undefined) columns.assignee_updated_date = new Date()
  return {
    columns,
    storages: await checkStorages(tx, principal, planStorages(body, before), row.organization_id),
    labels: body.labels && (await planLabels(before.labels, body.labels)),
  }
}
