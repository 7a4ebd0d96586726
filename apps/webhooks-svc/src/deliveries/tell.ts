import { randomUUID } from 'node:crypto'
import type { EventType } from '@reticle/contracts/events/define'
import type { BusEvent } from '@reticle/kit/bus/bus'
import type { Clock } from '@reticle/kit/clock'
import { absolute } from '@reticle/kit/links'
import { traceparentNow } from '@reticle/kit/observe/traces'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { WebhooksDb } from '../db/schema.ts'
import { type Audience, audiencesOf } from './audience.ts'
import { bodiesOf, type Fact } from './payload.ts'
import { insertMessages, numberOwed } from './repo.ts'

export interface MatchDeps {
  clock: Clock
  /** Address of the API in payloads: `https://host/api`. */
  base: string
  /** Told when messages were written; their transaction commits a moment later. */
  onMessages: () => void
}

/** An event whose data is parsed as its type says. */
export interface Heard<D> {
  type: EventType<D>
  data: D
  event: BusEvent
  /** What webhooks are told it is, and under which key its record stands; else both follow from the type. */
  as?: { event: string; resource: string }
}

const old = z.record(z.string(), z.unknown())
const said = z.looseObject({
  before_update: old.optional(),
  annotations: z.unknown().optional(),
  reason: z.string().optional(),
})
const record = z.record(z.string(), z.unknown())

/** `update:task` is about the member `task` of its data. What else the data holds is for the services alone. */
const nameOf = <D>({ type: { type }, as }: Heard<D>) =>
  as ?? { event: type, resource: type.replace(/^.*:/, '') }

function factOf<D>(heard: Heard<D>, base: string): Fact {
  const { type, data, event } = heard
  const { event: name, resource } = nameOf(heard)
  const given = said.parse(absolute(type.data, data, base))
  return {
    event: name,
    event_id: event.id,
    key: event.key,
    occurred_date: event.occurred_date,
    traceparent: traceparentNow() ?? event.traceparent,
    resource,
    record: record.parse(given[resource]),
    before_update: given.before_update,
    annotations: given.annotations,
    reason: given.reason,
    actor: event.actor,
  }
}

/** The fact as an audience is told it: of an update that is none for them there are no old values. */
function factFor(fact: Fact, { event, isPast }: Audience): Fact {
  if (event === fact.event) return fact
  const { before_update, ...rest } = fact
  return { ...rest, event, record: isPast ? recordBefore(fact) : fact.record }
}

/** Without its revision, of which events do not name the old value. */
function recordBefore({ record: { revision: _, ...record }, before_update }: Fact) {
  return { ...record, ...before_update }
}

/**
 * Writes a message for every webhook that wants what happened. The payload is made last: of most events nobody wants one.
 *
 * @param project_id the project it happened in, if any; the organization is that of the event
 */
export async function tell<D>(
  tx: Transaction<WebhooksDb>,
  heard: Heard<D>,
  project_id: number | null,
  deps: MatchDeps,
): Promise<void> {
  const { organization_id } = heard.event
  const { before_update: before = {} } = said.parse(heard.data)
  const { event: name } = nameOf(heard)
  const audiences = audiencesOf(name, { project_id, organization_id }, before)
  const owed = await numberOwed(tx, heard.event, audiences)
  if (owed.length === 0) return
  const fact = factOf(heard, deps.base)
  const messages = audiences.flatMap((audience) => {
    const own = owed.filter((one) => one.audience === audience)
    const numbered = own.map(({ webhook_id, sequence }) => ({ webhook_id, sequence }))
    return messagesOf(factFor(fact, audience), numbered, deps)
  })
  await insertMessages(tx, messages)
  deps.onMessages()
}

/** The record with all its labels is the same for each of them and becomes text once. */
function messagesOf(
  fact: Fact,
  numbered: { webhook_id: number; sequence: number }[],
  { base, clock }: MatchDeps,
) {
  if (numbered.length === 0) return []
  const now = clock.now()
  const bodyFor = bodiesOf(fact, base)
  const { event_id, event, key, occurred_date, traceparent, before_update = {} } = fact
  const changed_fields = Object.keys(before_update).join(',')
  const dates = { occurred_date, created_date: now, next_attempt_date: now }
  const shared = { event_id, event, key, changed_fields, traceparent, ...dates }
  return numbered.map((one) => {
    const to = { ...one, delivery_id: randomUUID() }
    return { ...shared, ...to, body: bodyFor(to) }
  })
}
