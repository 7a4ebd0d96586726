import { randomUUID } from 'node:crypto'
import type { EventType } from '@reticle/contracts/events/define'
import { type DialectName, dialectNames } from '@reticle/contracts/rest/dialects'
import type { AfterCommit, BusEvent } from '@reticle/kit/bus/bus'
import { toAbsoluteLinks } from '@reticle/kit/net/links'
import { traceparentNow } from '@reticle/kit/observe/traces'
import type { Clock } from '@reticle/kit/scheduling/clock'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { WebhooksDb } from '../db/schema.ts'
import { buildPayload, dialectBase } from '../payloads/dialects.ts'
import type { DialectPayload, Fact } from '../payloads/payload.ts'
import { type Audience, audiencesOf } from './audience.ts'
import { insertMessages, type MatchedWebhook, numberMatched } from './repo.ts'

export interface MatchDeps {
  clock: Clock
  /** URL of the API in payloads: `https://host/api`. */
  base: string
  /** Called after the commit of a transaction that wrote messages. */
  onMessages: () => void
}

/** An event whose data was parsed by the schema of its type. */
export interface ParsedEvent<D> {
  type: EventType<D>
  data: D
  event: BusEvent
  afterCommit: AfterCommit
  /** Event name and payload key for webhooks, when they do not follow from the type. */
  as?: { event: string; resource: string }
}

const old = z.record(z.string(), z.unknown())
const publicFields = z.looseObject({
  before_update: old.optional(),
  annotations: z.unknown().optional(),
  reason: z.string().optional(),
})
const record = z.record(z.string(), z.unknown())

/**
 * Returns the event name and the payload key: `update:task` uses the field `task` of its data. Other fields of the
 * data are internal.
 */
const nameOf = <D>({ type: { type }, as }: ParsedEvent<D>) =>
  as ?? { event: type, resource: type.replace(/^.*:/, '') }

function factOf<D>(parsed: ParsedEvent<D>, base: string): Fact {
  const { type, data, event } = parsed
  const { event: name, resource } = nameOf(parsed)
  const given = publicFields.parse(toAbsoluteLinks(type.data, data, base))
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

/**
 * Returns the fact for an audience. When the audience receives an update as a creation or deletion, the old values
 * are left out.
 */
function factFor(fact: Fact, { event, isPast }: Audience): Fact {
  if (event === fact.event) return fact
  const { before_update, ...rest } = fact
  return { ...rest, event, record: isPast ? recordBefore(fact) : fact.record }
}

/** Returns the record before the update, without its revision, because events do not contain the old one. */
function recordBefore({ record: { revision: _, ...record }, before_update }: Fact) {
  return { ...record, ...before_update }
}

/**
 * Writes a message for every webhook that subscribes to the event. The payload is built only after at least one
 * webhook matches, because most events match none.
 */
export async function writeMessages<D>(
  tx: Transaction<WebhooksDb>,
  parsed: ParsedEvent<D>,
  deps: MatchDeps,
): Promise<void> {
  const { organization_id } = parsed.event
  const project_id = parsed.type.project?.(parsed.data) ?? null
  const { before_update: before = {} } = publicFields.parse(parsed.data)
  const { event: name } = nameOf(parsed)
  const audiences = audiencesOf(name, { project_id, organization_id }, before)
  const matched = await numberMatched(tx, parsed.event, audiences)
  if (matched.length === 0) return
  const messages = dialectNames.flatMap((dialect) => {
    const own = matched.filter((one) => one.dialect === dialect)
    return own.length === 0 ? [] : buildMessages(dialect, parsed, own, deps)
  })
  await insertMessages(tx, messages)
  parsed.afterCommit(deps.onMessages)
}

/** Builds the rows of the messages for webhooks of one dialect, with the event of each audience. */
function buildMessages<D>(
  dialect: DialectName,
  parsed: ParsedEvent<D>,
  matched: readonly MatchedWebhook[],
  { base: apiBase, clock }: MatchDeps,
) {
  const base = dialectBase(dialect, apiBase)
  const fact = factOf(parsed, base)
  const audiences = [...new Set(matched.map((one) => one.audience))]
  return audiences.flatMap((audience) => {
    const own = factFor(fact, audience)
    const numbered = matched.filter((one) => one.audience === audience)
    return messagesOf(own, buildPayload(dialect, own, base), numbered, clock.now())
  })
}

/** Builds the rows of the messages. The record with all its labels is serialized once for all of them. */
function messagesOf(
  { event_id, event, key, occurred_date, traceparent }: Fact,
  { changed_fields, bodyFor }: DialectPayload,
  numbered: readonly Pick<MatchedWebhook, 'webhook_id' | 'sequence'>[],
  now: Date,
) {
  const dates = { occurred_date, created_date: now, next_attempt_date: now }
  const shared = { event_id, event, key, changed_fields, traceparent, ...dates }
  return numbered.map(({ webhook_id, sequence }) => {
    const to = { webhook_id, sequence, delivery_id: randomUUID() }
    return { ...shared, ...to, body: bodyFor(to) }
  })
}
