import type { EventType } from '@reticle/contracts/events/define'
import {
  commentCreated,
  commentDeleted,
  commentUpdated,
  issueCreated,
  issueDeleted,
  issueUpdated,
} from '@reticle/contracts/events/issues'
import {
  invitationCreated,
  invitationDeleted,
  membershipCreated,
  membershipDeleted,
  membershipUpdated,
  organizationCreated,
  organizationDeleted,
  organizationUpdated,
} from '@reticle/contracts/events/organizations'
import { projectCreated, projectDeleted, projectUpdated } from '@reticle/contracts/events/projects'
import { requestFinished } from '@reticle/contracts/events/requests'
import {
  jobCreated,
  jobDeleted,
  jobUpdated,
  taskCreated,
  taskDeleted,
  taskUpdated,
} from '@reticle/contracts/events/tasks'
import { completedRequest, webhookEvents } from '@reticle/contracts/events/webhook-events'
import type { Organization } from '@reticle/contracts/rest/organizations'
import type { Project } from '@reticle/contracts/rest/projects'
import { type Handle, onEvent, type Route, routeEvents } from '@reticle/kit/bus/bus'
import { saveOrganization } from '../copies/repo-organizations.ts'
import { releaseProjects, saveProject } from '../copies/repo-projects.ts'
import type { OrganizationCopyRow, ProjectCopyRow, WebhooksDb } from '../db/schema.ts'
import { endWebhooks } from '../webhooks/repo.ts'
import { type MatchDeps, writeMessages } from './write-messages.ts'

export type { MatchDeps } from './write-messages.ts'

/**
 * Handles events for the group `reticle.webhooks`: each event becomes a message for every webhook that subscribes to
 * it, in the transaction of the bus. Events of projects and organizations also update the tables `projects` and
 * `organizations`.
 */
export function matchEvents(deps: MatchDeps): Handle<WebhooksDb> {
  return routeEvents([
    ...projectRoutes(deps),
    ...organizationRoutes(deps),
    ...partRoutes(deps),
    requestRoute(deps),
  ])
}

function projectRoutes(deps: MatchDeps): Route<WebhooksDb>[] {
  return [
    onEvent(projectCreated, async (tx, data, event) => {
      await saveProject(tx, projectColumns(data.project))
      await writeMessages(tx, { type: projectCreated, data, event }, data.project.id, deps)
    }),
    onEvent(projectUpdated, async (tx, data, event) => {
      await saveProject(tx, projectColumns(data.project))
      await writeMessages(tx, { type: projectUpdated, data, event }, data.project.id, deps)
    }),
    onEvent(projectDeleted, async (tx, data, event) => {
      const { id: project_id } = data.project
      await saveProject(tx, { ...projectColumns(data.project), is_deleted: true })
      await writeMessages(tx, { type: projectDeleted, data, event }, project_id, deps)
      await endWebhooks(tx, { project_id }, deps.clock.now())
    }),
  ]
}

function organizationRoutes(deps: MatchDeps): Route<WebhooksDb>[] {
  const nowhere = { deps, projectOf: () => null }
  return [
    onEvent(organizationCreated, (tx, { organization }) =>
      saveOrganization(tx, organizationColumns(organization)),
    ),
    onEvent(organizationUpdated, async (tx, data, event) => {
      await saveOrganization(tx, organizationColumns(data.organization))
      await writeMessages(tx, { type: organizationUpdated, data, event }, null, deps)
    }),
    onEvent(organizationDeleted, async (tx, data, event) => {
      const { id: organization_id } = data.organization
      await saveOrganization(tx, { ...organizationColumns(data.organization), is_deleted: true })
      await writeMessages(tx, { type: organizationDeleted, data, event }, null, deps)
      await releaseProjects(tx, organization_id)
      await endWebhooks(tx, { organization_id }, deps.clock.now())
    }),
    messageRoute(membershipCreated, nowhere),
    messageRoute(membershipUpdated, nowhere),
    messageRoute(membershipDeleted, nowhere),
    messageRoute(invitationCreated, nowhere),
    messageRoute(invitationDeleted, nowhere),
  ]
}

/** Resources inside projects, or tasks that could be inside one. */
function partRoutes(deps: MatchDeps): Route<WebhooksDb>[] {
  const ofTask = { deps, projectOf: ({ task }: { task: Located }) => task.project_id }
  const ofJob = { deps, projectOf: ({ job }: { job: Located }) => job.project_id }
  const ofIssue = { deps, projectOf: ({ project_id }: Located) => project_id }
  return [
    messageRoute(taskCreated, ofTask),
    messageRoute(taskUpdated, ofTask),
    messageRoute(taskDeleted, ofTask),
    messageRoute(jobCreated, ofJob),
    messageRoute(jobUpdated, ofJob),
    messageRoute(jobDeleted, ofJob),
    messageRoute(issueCreated, ofIssue),
    messageRoute(issueUpdated, ofIssue),
    messageRoute(issueDeleted, ofIssue),
    messageRoute(commentCreated, ofIssue),
    messageRoute(commentUpdated, ofIssue),
    messageRoute(commentDeleted, ofIssue),
  ]
}

/** Finished background requests. The payload has no sender. */
function requestRoute(deps: MatchDeps): Route<WebhooksDb> {
  return onEvent(requestFinished, async (tx, data, event) => {
    const { type, project_id } = data.request.operation
    const as = { event: completedRequest(type), resource: 'request' }
    if (!Object.hasOwn(webhookEvents, as.event)) return
    const anonymous = { ...event, actor: null }
    await writeMessages(tx, { type: requestFinished, data, event: anonymous, as }, project_id, deps)
  })
}

interface Located {
  project_id: number | null
}

function messageRoute<D>(
  type: EventType<D>,
  { deps, projectOf }: { deps: MatchDeps; projectOf: (data: D) => number | null },
): Route<WebhooksDb> {
  return onEvent(type, (tx, data, event) =>
    writeMessages(tx, { type, data, event }, projectOf(data), deps),
  )
}

function projectColumns({ id, owner, organization_id }: Project): ProjectCopyRow {
  return { id, owner_id: owner?.id ?? null, organization_id, is_deleted: false }
}

function organizationColumns({ id, slug }: Organization): OrganizationCopyRow {
  return { id, slug, is_deleted: false }
}
