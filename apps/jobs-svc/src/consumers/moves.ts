import { organizationDeleted } from '@reticle/contracts/events/organizations'
import { projectMoved } from '@reticle/contracts/events/projects'
import { taskMoved } from '@reticle/contracts/events/tasks'
import { on, type Route } from '@reticle/kit/bus/bus'
import type { RequestsDb } from '../db/schema.ts'
import { leaveOrganization, moveProject, moveTask } from '../requests/repo.ts'

/**
 * Requests are found where their objects are now (`spec/api-workspace.md` 3.4). Whose turn their work takes (`tenant`) was
 * decided when they were posted: nothing moves while it is under way.
 */
export const moves: readonly Route<RequestsDb>[] = [
  on(projectMoved, (tx, { project_id, organization_id }) =>
    moveProject(tx, project_id, organization_id),
  ),
  on(taskMoved, (tx, { task_id, ...place }) => moveTask(tx, task_id, place)),
  on(organizationDeleted, (tx, { organization }) => leaveOrganization(tx, organization.id)),
]
