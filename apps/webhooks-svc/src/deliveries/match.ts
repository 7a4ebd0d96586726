import { randomUUID } from 'node:crypto'
import type { EventType } from '@reticle/contracts/events/define'
import {
  commentCreated,
  commentDeleted,
  commentUpdated,
  issueCreated,
  issueDeleted,
  issueUpdated,
} from '@reticle/contracts/events/issues'
import { projectCreated, projectDeleted, projectUpdated } from '@reticle/contracts/events/projects'
import {
  jobCreated,
  jobDeleted,
  jobUpdated,
  taskCreated,
  taskDeleted,
  taskUpdated,
} from '@reticle/contracts/events/tasks'
import type { Project } from '@reticle/contracts/rest/projects'
import { type BusEvent, type Handle, on, type Route, route } from '@reticle/kit/bus/bus'
import type { Clock } from '@reticle/kit/clock'
import { absolute } from '@reticle/kit/links'
import { traceparentNow } from '@reticle/kit/observe/traces'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { ProjectRow, WebhooksDb } from '../db/schema.ts'
import { saveProject } from '../projects/repo.ts'
import { endWebhooks } from '../webhooks/repo.ts'
import { bodiesOf, type Fact } from './payload.ts'
import { insertMessages, lockMatching, takeSequences } from './repo.ts'

export interface MatchDeps {
  clock: Clock
  /** Address of the API in payloads: `https://host/api`. */
  base: string
  /** Told when messages were written; their transaction commits a moment later. */
  onMessages: () => void
}

/**
 * What the group `reticle.webhooks` does about the events of the house: each becomes a message for every webhook that
 * wants it, all in the bus's transaction (`reliability.md` 7.1). Events of projects also keep `projects` up to date.
 */
export function matchEvents(deps: MatchDeps): Handle<WebhooksDb> {
  const ofTask = { deps, projectOf: ({ task }: { task: Located }) => task.project_id }
  const ofJob = { deps, projectOf: ({ job }: { job: Located }) => job.project_id }
  const ofIssue = { deps, projectOf: ({ project_id }: Located) => project_id }
  return route([
    on(projectCreated, (tx, { project }) => saveProject(tx, columnsOf(project))),
    on(projectUpdated, async (tx, data, event) => {
      await saveProject(tx, columnsOf(data.project))
      await tell(tx, { type: projectUpdated, data, event }, data.project.id, deps)
    }),
    on(projectDeleted, async (tx, data, event) => {
      await saveProject(tx, { ...columnsOf(data.project), is_deleted: true })
      await tell(tx, { type: projectDeleted, data, event }, data.project.id, deps)
      await endWebhooks(tx, data.project.id, deps.clock.now())
    }),
    telling(taskCreated, ofTask),
    telling(taskUpdated, ofTask),
    telling(taskDeleted, ofTask),
    telling(jobCreated, ofJob),
    telling(jobUpdated, ofJob),
    telling(jobDeleted, ofJob),
    telling(issueCreated, ofIssue),
    telling(issueUpdated, ofIssue),
    telling(issueDeleted, ofIssue),
    telling(commentCreated, ofIssue),
    telling(commentUpdated, ofIssue),
    telling(commentDeleted, ofIssue),
  ])
}

interface Located {
  project_id: number | null
}

function telling<D>(
  type: EventType<D>,
  { deps, projectOf }: { deps: MatchDeps; projectOf: (data: D) => number | null },
): Route<WebhooksDb> {
  return on(type, async (tx, data, event) => {
    const project_id = projectOf(data)
    if (project_id !== null) await tell(tx, { type, data, event }, project_id, deps)
  })
}

function columnsOf({ id, owner, organization_id }: Project): ProjectRow {
  return { id, owner_id: owner?.id ?? null, organization_id, is_deleted: false }
}

const updated = z.looseObject({
  before_update: z.record(z.string(), z.unknown()).optional(),
  annotations: z.unknown().optional(),
})
const record = z.record(z.string(), z.unknown())

/** An event whose data is parsed as its type says. */
interface Heard<D> {
  type: EventType<D>
  data: D
  event: BusEvent
}

/** `update:task` is about the member `task` of its data. What else the data holds is for the services alone. */
function factOf<D>({ type, data, event }: Heard<D>, base: string): Fact {
  const resource = type.type.replace(/^.*:/, '')
  const said = updated.parse(absolute(type.data, data, base))
  return {
    event: type.type,
    event_id: event.id,
    key: event.key,
    occurred_date: event.occurred_date,
    traceparent: traceparentNow() ?? event.traceparent,
    resource,
    record: record.parse(said[resource]),
    before_update: said.before_update,
    annotations: said.annotations,
    actor: event.actor,
  }
}

/**
 * Webhooks are locked in the order of their ids; the lock makes their sequence one of commits, without gaps. The payload
 * comes after: of most events nobody wants one.
 */
async function tell<D>(
  tx: Transaction<WebhooksDb>,
  heard: Heard<D>,
  project_id: number,
  deps: MatchDeps,
) {
  const owed = { event: heard.type.type, event_id: heard.event.id }
  const ids = await lockMatching(tx, owed, project_id)
  if (ids.length === 0) return
  const now = deps.clock.now()
  const fact = factOf(heard, deps.base)
  const bodyFor = bodiesOf(fact, deps.base)
  const { event_id, event, key, occurred_date, traceparent, before_update = {} } = fact
  const changed_fields = Object.keys(before_update).join(',')
  const dates = { occurred_date, created_date: now, next_attempt_date: now }
  const shared = { event_id, event, key, changed_fields, traceparent, ...dates }
  const messages = (await takeSequences(tx, ids)).map(({ webhook_id, sequence }) => {
    const to = { webhook_id, sequence, delivery_id: randomUUID() }
    return { ...shared, ...to, body: bodyFor(to) }
  })
  await insertMessages(tx, messages)
  deps.onMessages()
}
