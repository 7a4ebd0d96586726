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
    onEvent(projectCreated, async (tx, data, event, afterCommit) => {
      await saveProject(tx, projectColumns(data.project))
      await writeMessages(tx, { type: projectCreated, data, event, afterCommit }, deps)
    }),
    onEvent(projectUpdated, async (tx, data, event, afterCommit) => {
      await saveProject(tx, projectColumns(data.project))
      await writeMessages(tx, { type: projectUpdated, data, event, afterCommit }, deps)
    }),
    onEvent(projectDeleted, async (tx, data, event, afterCommit) => {
      await saveProject(tx, { ...projectColumns(data.project), is_deleted: true })
      await writeMessages(tx, { type: projectDeleted, data, event, afterCommit }, deps)
      await endWebhooks(tx, { project_id: data.project.id }, deps.clock.now())
    }),
  ]
}

function organizationRoutes(deps: MatchDeps): Route<WebhooksDb>[] {
  return [
    onEvent(organizationCreated, (tx, { organization }) =>
      saveOrganization(tx, organizationColumns(organization)),
    ),
    onEvent(organizationUpdated, async (tx, data, event, afterCommit) => {
      await saveOrganization(tx, organizationColumns(data.organization))
      await writeMessages(tx, { type: organizationUpdated, data, event, afterCommit }, deps)
    }),
    onEvent(organizationDeleted, async (tx, data, event, afterCommit) => {
      const { id: organization_id } = data.organization
      await saveOrganization(tx, { ...organizationColumns(data.organization), is_deleted: true })
      await writeMessages(tx, { type: organizationDeleted, data, event, afterCommit }, deps)
      await releaseProjects(tx, organization_id)
      await endWebhooks(tx, { organization_id }, deps.clock.now())
    }),
    messageRoute(membershipCreated, deps),
    messageRoute(membershipUpdated, deps),
    messageRoute(membershipDeleted, deps),
    messageRoute(invitationCreated, deps),
    messageRoute(invitationDeleted, deps),
  ]
}

/** Resources inside projects, or tasks that could be inside one. */
function partRoutes(deps: MatchDeps): Route<WebhooksDb>[] {
  return [
    messageRoute(taskCreated, deps),
    messageRoute(taskUpdated, deps),
    messageRoute(taskDeleted, deps),
    messageRoute(jobCreated, deps),
    messageRoute(jobUpdated, deps),
    messageRoute(jobDeleted, deps),
    messageRoute(issueCreated, deps),
    messageRoute(issueUpdated, deps),
    messageRoute(issueDeleted, deps),
    messageRoute(commentCreated, deps),
    messageRoute(commentUpdated, deps),
    messageRoute(commentDeleted, deps),
  ]
}

/** Finished background requests. The payload has no sender. */
function requestRoute(deps: MatchDeps): Route<WebhooksDb> {
  return onEvent(requestFinished, async (tx, data, event, afterCommit) => {
    const as = { event: completedRequest(data.request.operation.type), resource: 'request' }
    if (!Object.hasOwn(webhookEvents, as.event)) return
    const anonymous = { ...event, actor: null }
    const message = { type: requestFinished, data, event: anonymous, as, afterCommit }
    await writeMessages(tx, message, deps)
  })
}

function messageRoute<D>(type: EventType<D>, deps: MatchDeps): Route<WebhooksDb> {
  return onEvent(type, (tx, data, event, afterCommit) =>
    writeMessages(tx, { type, data, event, afterCommit }, deps),
  )
}

function projectColumns({ id, owner, organization_id }: Project): ProjectCopyRow {
  return { id, owner_id: owner?.id ?? null, organization_id, is_deleted: false }
}

function organizationColumns({ id, slug }: Organization): OrganizationCopyRow {
  return { id, slug, is_deleted: false }
}
