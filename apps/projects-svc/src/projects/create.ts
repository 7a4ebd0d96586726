import { projectCreated } from '@reticle/contracts/events/projects'
import type { Principal } from '@reticle/contracts/principal'
import type { Project, ProjectCreate } from '@reticle/contracts/rest/projects'
import { type Cause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { planNewLabels } from '../labels/plan.ts'
import { writeLabels } from '../labels/repo-write.ts'
import { holdOrganization } from '../organizations/index.ts'
import { checkPeople } from '../people.ts'
import { workspaceStanding } from '../roles.ts'
import { checkStorages } from '../storages/check.ts'
import { planStorages } from '../storages/plan.ts'
import { setStorages } from '../storages/repo.ts'
import { projectRecord } from './records.ts'
import { insertProject } from './repo.ts'

/** One that is restored has a status already. */
type NewProject = ProjectCreate & Partial<Pick<ProjectRow, 'status'>>

/** A project in the workspace that the request names (`spec/api-workspace.md` 4.2), and its `create:project` event. */
export async function createProject(
  tx: Transaction<ProjectsDb>,
  principal: Principal,
  { name, bug_tracker, status, owner_id, assignee_id, labels = [], ...body }: NewProject,
  cause: Cause,
): Promise<Project> {
  const { organization_id } = workspaceStanding(principal)
  await holdOrganization(tx, organization_id)
  await checkPeople(tx, principal, { owner_id, assignee_id }, organization_id)
  const storages = await checkStorages(tx, principal, planStorages(body), organization_id)
  const plan = planNewLabels(labels)
  const row = await insertProject(tx, {
    name,
    bug_tracker,
    status,
    organization_id,
    owner_id: owner_id ?? principal.user_id,
    assignee_id,
    assignee_updated_date: assignee_id == null ? null : new Date(),
  })
  const owner = { kind: 'project', id: row.id } as const
  await setStorages(tx, owner, storages)
  await writeLabels(tx, owner, [], plan)
  const project = await projectRecord(tx, row)
  await emit(tx, projectCreated, { project }, cause)
  return project
}
