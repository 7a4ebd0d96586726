import { type EventType, topics } from '@reticle/contracts/events/define'
import { CompiledQuery, type Transaction } from 'kysely'
import { v7 as uuid } from 'uuid'
import type { Principal } from '../call/context.ts'
import { queryRows } from '../db/prepared.ts'
import { traceparentNow } from '../observe/traces.ts'
import type { EventActor, EventCaller, Headers } from './envelope.ts'

/** Cause of an event: the `CallContext` of a call, or the result of `causeOf` (`bus/bus.ts`) for an event. */
export interface EventCause {
  principal:
    | (Pick<Principal, 'user_id' | 'username' | 'first_name' | 'last_name' | 'email'> & {
        token?: { id: number } | null
      })
    | null
  request_id: string
  /** Network address and user agent of the client. */
  address?: string
  user_agent?: string
  /** Trace of the event, if no current span provides it. */
  traceparent?: string
  organization_id?: number | null
}

/** Size limit of the data in bytes. The default limit of Kafka is 1 MiB for the whole message. */
const maxBytes = 1_000_000

/**
 * Writes an event in the transaction of its change. The row that the key of the event names must be locked before with
 * `select ... for update`, so that events of one key leave in the order of their commits. `data` is stored as parsed by
 * its schema, without unknown keys.
 * @returns the id of the event
 * @throws ZodError or Error if the data is invalid or too large, which is a bug of the caller
 */
export async function emit<Db, T>(
  tx: Transaction<Db>,
  event: EventType<T>,
  data: NoInfer<T>,
  cause: EventCause,
): Promise<string> {
  const [id = ''] = await emitAll(tx, event, [data], cause)
  return id
}

/** Writes several events of one type, in one statement and in the given order. */
export async function emitAll<Db, T>(
  tx: Transaction<Db>,
  event: EventType<T>,
  facts: readonly NoInfer<T>[],
  cause: EventCause,
): Promise<string[]> {
  if (facts.length === 0) return []
  if (!(event.topic in topics)) throw new Error(`${event.type}: there is no topic ${event.topic}`)
  const rows = facts.map((data) => rowOf(event, data, cause))
  const ofEvent = [event.topic, event.type, event.version]
  const insert = insertText(rows.length)
  const values = [...ofEvent, ...rows.flatMap((row) => [row.id, row.key, row.headers, row.data])]
  if (rows.length === 1) await queryRows(tx, { name: 'emit', text: insert }, values)
  else await tx.executeQuery(CompiledQuery.raw(insert, values))
  return rows.map(({ id }) => id)
}

function insertText(rows: number): string {
  const row = (index: number) => {
    const [id, key, headers, data] = [4, 5, 6, 7].map((at) => `$${at + 4 * index}`)
    return `(${id}::uuid, $1, ${key}, $2, $3::smallint, ${headers}::jsonb, ${data}::jsonb)`
  }
  return `insert into outbox (event_id, topic, key, type, version, headers, data)
    values ${Array.from({ length: rows }, (_, index) => row(index))}`
}

function rowOf<T>(event: EventType<T>, given: T, cause: EventCause) {
  const id = uuid()
  const parsed = event.data.parse(given)
  const data = JSON.stringify(parsed)
  const bytes = Buffer.byteLength(data)
  if (bytes > maxBytes) {
    throw new Error(`${event.type} has ${bytes} bytes of data, at most ${maxBytes} are allowed`)
  }
  const headers = JSON.stringify(headersOf(event, id, { ...cause, ...placeOf(event, parsed) }))
  return { id, key: event.key(parsed), headers, data }
}

/** Returns the organization that the event itself names, which overrides that of the cause. */
function placeOf<T>({ organization }: EventType<T>, data: T): Pick<EventCause, 'organization_id'> {
  return organization ? { organization_id: organization(data) } : {}
}

function headersOf<T>({ type, version }: EventType<T>, id: string, cause: EventCause): Headers {
  const { principal, request_id, organization_id } = cause
  const traceparent = traceparentNow() ?? cause.traceparent
  return {
    'event-id': id,
    'event-type': type,
    'event-version': String(version),
    'occurred-date': new Date().toISOString(),
    ...(organization_id != null && { 'org-id': String(organization_id) }),
    actor: JSON.stringify(principal && actorOf(principal)),
    'request-id': request_id,
    ...callerHeader(cause),
    ...(traceparent && { traceparent }),
  }
}

function callerHeader({ address, user_agent, principal }: EventCause) {
  const token_id = principal?.token?.id
  if (address === undefined && user_agent === undefined && token_id === undefined) return {}
  const caller: EventCaller = { address, user_agent, token_id }
  return { caller: JSON.stringify(caller) }
}

function actorOf(principal: NonNullable<EventCause['principal']>): EventActor {
  const { user_id, username, first_name, last_name, email } = principal
  return { id: user_id, username, first_name, last_name, email }
}
