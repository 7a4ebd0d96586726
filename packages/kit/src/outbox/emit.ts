import { type EventType, topics } from '@reticle/contracts/events/define'
import { CompiledQuery, type Transaction } from 'kysely'
import { v7 as uuid } from 'uuid'
import { queryRows } from '../db/prepared.ts'
import { traceparentNow } from '../observe/traces.ts'
import type { Principal } from '../rpc/context.ts'
import type { Actor, Caller, Headers } from './envelope.ts'

/** Why something happens. The `Context` of a call is one; of an event, `causeOf` of `bus/bus.ts`. */
export interface Cause {
  principal:
    | (Pick<Principal, 'user_id' | 'username' | 'first_name' | 'last_name' | 'email'> & {
        token?: { id: number } | null
      })
    | null
  request_id: string
  /** Network address and program of the client. */
  address?: string
  user_agent?: string
  /** The trace it is part of, where no span is at hand that says so. */
  traceparent?: string
  organization_id?: number | null
}

/** Kafka's default limit is 1 MiB with everything around the data. */
const maxBytes = 1_000_000

/**
 * Writes an event in the transaction that made it true (`reliability.md` 4.1). Call it only after
 * `select ... for update` of the row that the event's key names: then events of one key leave in the order of their
 * commits. `data` is stored as its schema reads it, without unknown keys.
 *
 * @returns the event's id
 * @throws ZodError or Error for data that is no such event, or too large: bugs of the caller
 */
export async function emit<Db, T>(
  tx: Transaction<Db>,
  event: EventType<T>,
  data: NoInfer<T>,
  cause: Cause,
): Promise<string> {
  const [id = ''] = await emitAll(tx, event, [data], cause)
  return id
}

/** The same for several facts of one kind, in one statement and in the order given. */
export async function emitAll<Db, T>(
  tx: Transaction<Db>,
  event: EventType<T>,
  facts: readonly NoInfer<T>[],
  cause: Cause,
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

function rowOf<T>(event: EventType<T>, given: T, cause: Cause) {
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

/** What an event says of itself stands above what its cause says. */
function placeOf<T>({ organization }: EventType<T>, data: T): Pick<Cause, 'organization_id'> {
  return organization ? { organization_id: organization(data) } : {}
}

function headersOf<T>({ type, version }: EventType<T>, id: string, cause: Cause): Headers {
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

function callerHeader({ address, user_agent, principal }: Cause) {
  const token_id = principal?.token?.id
  if (address === undefined && user_agent === undefined && token_id === undefined) return {}
  const caller: Caller = { address, user_agent, token_id }
  return { caller: JSON.stringify(caller) }
}

function actorOf(principal: NonNullable<Cause['principal']>): Actor {
  const { user_id, username, first_name, last_name, email } = principal
  return { id: user_id, username, first_name, last_name, email }
}
