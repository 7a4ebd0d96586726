import { organizationDeleted } from '@reticle/contracts/events/organizations'
import { projectMoved } from '@reticle/contracts/events/projects'
import { taskMoved } from '@reticle/contracts/events/tasks'
import { onEvent, type Route } from '@reticle/kit/bus/bus'
import type { RequestsDb } from '../db/schema.ts'
import { leaveOrganization, moveProject, moveTask } from '../requests/repo.ts'

/**
 * Routes that copy the new project and organization of moved objects to their requests. The `tenant`, which decides the
 * turn in the queue, stays as posted, because objects do not move while their requests run.
 */
export const moveRoutes: readonly Route<RequestsDb>[] = [
  onEvent(projectMoved, (tx, { project_id, organization_id }) =>
    moveProject(tx, project_id, organization_id),
  ),
  onEvent(taskMoved, (tx, { task_id, ...findWorkspace }) => moveTask(tx, task_id, findWorkspace)),
  onEvent(organizationDeleted, (tx, { organization }) => leaveOrganization(tx, organization.id)),
]
