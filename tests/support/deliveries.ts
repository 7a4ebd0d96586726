import { setTimeout as sleep } from 'node:timers/promises'
import { completedRequest } from '@reticle/contracts/events/webhook-events'
import pg from 'pg'
import type { AnyJson } from './client.ts'
import type { AcknowledgedChange, FlowWebhook } from './flow.ts'
import { factOf, type MessageLog, markOf, type ReceivedMessage } from './received-messages.ts'

/** An event and its project. */
interface LocatedEvent {
  event: string
  project_id: number | null
}

/** An event as its service committed it, in the order of its key. */
export interface CommittedEvent extends LocatedEvent {
  key: string
  fact: string
}

/** Events and changes that services have committed. */
export interface CommittedState {
  /** Events that webhooks can subscribe to. */
  events: CommittedEvent[]
  /** Changes of annotations, for whose jobs another service sends the events. */
  revisions: (LocatedEvent & Pick<AcknowledgedChange, 'mark'>)[]
}

interface Row {
  key: string
  type: string
  occurred_date: string
  data: AnyJson
}

/** Reads the committed events of a cluster: those that left the outboxes of these services, and those that remain. */
export async function readClusterEvents(urls: readonly string[]): Promise<CommittedState> {
  const columns = `key, type, headers->>'occurred-date' as occurred_date, data`
  const statement = `
    select * from (
      select id, ${columns} from outbox union all select id, ${columns} from outbox_sent
    ) event where type like '%:%' or type in ('request.finished', 'annotations.changed')
    order by id`
  const all = await Promise.all(urls.map((url) => rowsOf(url, statement)))
  return toCommittedState(all.flat())
}

/** Reads the committed events of an embedded server from its bus. Events in an outbox are not delivered yet. */
export async function readBusEvents(url: string): Promise<CommittedState> {
  const statement = `
    select key, headers->>'event-type' as type, headers->>'occurred-date' as occurred_date,
      value as data
    from bus.bus_messages where topic = 'reticle.events.v1' order by partition, "offset"`
  return toCommittedState(await rowsOf(url, statement))
}

function toCommittedState(rows: Row[]): CommittedState {
  const isOfAnnotations = ({ type }: Row) => type === 'annotations.changed'
  const changes = rows.filter(isOfAnnotations)
  const revisions = changes.flatMap(({ data: { jobs, project_id = null } }) =>
    jobs.map((one: AnyJson) => {
      const mark = markOf.revision(one.job_id, one.revision)
      return { event: 'update:job', mark, project_id }
    }),
  )
  return { events: rows.filter((row) => !isOfAnnotations(row)).map(toCommittedEvent), revisions }
}

function toCommittedEvent({ key, type, occurred_date, data }: Row): CommittedEvent {
  const { project, task, job, request } = data
  const event = type === 'request.finished' ? completedRequest(request.operation.type) : type
  const place = task ?? job ?? request?.operation ?? data
  const project_id = project?.id ?? place.project_id ?? null
  return { event, key, project_id, fact: factOf(event, data, occurred_date) }
}

/** Returns the rows of one statement, over a separate connection. */
export async function rowsOf<R = Row>(url: string, statement: string): Promise<R[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

/** Faults in the messages of a webhook. */
export interface DeliveryFaults {
  /** Committed or acknowledged, but never received. */
  lost: string[]
  /** Received but never committed, or received under two ids. */
  invented: string[]
  /** Sequence numbers that do not follow the previous one, because a message is missing or repeated. */
  numbers: number[]
  /** Messages of one key numbered in another order than they were committed. */
  misnumbered: string[]
  /** Messages of one key that first arrived after a later one. */
  overtaken: string[]
}

/** Returns the events that a webhook must receive. */
const expectedFor = <T extends LocatedEvent>(
  { project_id, events }: FlowWebhook,
  all: readonly T[],
) =>
  all.filter(
    (one) => events.includes(one.event) && (project_id === null || project_id === one.project_id),
  )

/** A verdict without faults. */
export const noFaults: DeliveryFaults = {
  lost: [],
  invented: [],
  numbers: [],
  misnumbered: [],
  overtaken: [],
}

/**
 * Checks the messages of a webhook.
 * @param excused messages whose first attempt failed or was not made; later messages may arrive before them
 */
export function findDeliveryFaults(
  webhook: FlowWebhook,
  hearing: Pick<MessageLog, 'of'>,
  { truth, acknowledged }: { truth: CommittedState; acknowledged: readonly AcknowledgedChange[] },
  excused: ReadonlySet<string> = new Set(),
): DeliveryFaults {
  const messages = hearing.of(webhook.id).toSorted((a, b) => a.sequence - b.sequence)
  const { pairs, lost, rest } = pairMessages(expectedFor(webhook, truth.events), messages)
  const marks = new Set(messages.flatMap((one) => one.marks))
  const changes = [...acknowledged, ...truth.revisions]
  const unreceived = expectedFor(webhook, changes).filter(({ mark }) => !marks.has(mark))
  return {
    lost: [...lost.map(({ fact }) => fact), ...unreceived.map(({ mark }) => mark)],
    invented: rest.map(({ fact }) => fact),
    numbers: messages
      .map(({ sequence }) => sequence)
      .filter((number, at) => number !== 1 + (messages[at - 1]?.sequence ?? 0)),
    misnumbered: findDescents(pairs, ({ sequence }) => sequence),
    overtaken: findDescents(
      pairs.filter(({ message: { id } }) => !excused.has(id)),
      ({ nth }) => nth,
    ),
  }
}

interface Pair {
  expected: CommittedEvent
  message: ReceivedMessage
}

/** Pairs each event with its message; equal ones are paired in order. */
function pairMessages(expected: readonly CommittedEvent[], messages: readonly ReceivedMessage[]) {
  const byFact = new Map<string, ReceivedMessage[]>()
  for (const one of messages) byFact.set(one.fact, [...(byFact.get(one.fact) ?? []), one])
  const pairs: Pair[] = []
  const lost: CommittedEvent[] = []
  for (const one of expected) {
    const message = byFact.get(one.fact)?.shift()
    if (message) pairs.push({ expected: one, message })
    else lost.push(one)
  }
  return { pairs, lost, rest: [...byFact.values()].flat() }
}

/** Finds events that are numbered before an earlier event of the same key, by a number of their messages. */
function findDescents(
  pairs: readonly Pair[],
  numberOf: (message: ReceivedMessage) => number,
): string[] {
  const highest = new Map<string, number>()
  return pairs.flatMap(({ expected: { key, fact }, message }) => {
    const [before, number] = [highest.get(key) ?? 0, numberOf(message)]
    highest.set(key, Math.max(before, number))
    return number < before ? [fact] : []
  })
}

export interface DeliveryCheck {
  webhooks: readonly FlowWebhook[]
  hearing: Pick<MessageLog, 'of'>
  acknowledged: readonly AcknowledgedChange[]
  /** Returns the events committed so far. */
  truth: () => Promise<CommittedState>
  /** Address of the database in which webhooks-svc records attempts. */
  database: () => Promise<string> | string
  /** Messages whose first attempt is known to have failed; newly found ones are added. */
  failed: Set<string>
  patienceMs: number
}

/**
 * Returns the verdict of each webhook once there are no faults or the time is over, since events may still be pending.
 */
export async function waitForDeliveries({
  webhooks,
  hearing,
  acknowledged,
  ...given
}: DeliveryCheck) {
  for (const until = Date.now() + given.patienceMs; ; await sleep(1000)) {
    const truth = await given.truth()
    await addFailedMessages(await given.database(), given.failed)
    const seen = webhooks.map((webhook) => ({
      webhook: webhook.id,
      expected: expectedFor(webhook, truth.events).length,
      verdict: findDeliveryFaults(webhook, hearing, { truth, acknowledged }, given.failed),
    }))
    const isFaultless = seen.every(({ verdict }) => Object.values(verdict).flat().length === 0)
    if (isFaultless || Date.now() > until) return seen
  }
}

/** Returns the row of the scoreboard. */
export function scoreOf(seen: Awaited<ReturnType<typeof waitForDeliveries>>, kills: string) {
  const expected = seen.reduce((sum, one) => sum + one.expected, 0)
  const lost = seen.flatMap(({ verdict }) => verdict.lost).length
  const isFaultless = seen.every(({ verdict }) => Object.values(verdict).flat().length === 0)
  return { count: `${kills}, ${expected} messages`, seen: String(lost), holds: isFaultless }
}

/** Adds the messages with a failed attempt, as far as attempts are still recorded. */
export async function addFailedMessages(url: string, failed: Set<string>): Promise<void> {
  const rows = await rowsOf<{ delivery_id: string }>(
    url,
    `select message.delivery_id from webhooks.webhook_deliveries delivery
     join webhooks.webhook_messages message on message.id = delivery.message_id
     where delivery.status_code not between 200 and 299`,
  )
  for (const { delivery_id } of rows) failed.add(delivery_id)
}

/** Expires the leases of messages that a killed process held, as would happen after half a minute. */
export async function expireMessageLeases(url: string): Promise<void> {
  const statement =
    'update webhooks.webhook_messages set lease_until = now() where lease_until > now()'
  await rowsOf(url, statement)
}
