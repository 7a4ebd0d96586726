import type { EventFilter } from '@reticle/contracts/rest/events'
import { type CompiledQuery, type Insertable, type Kysely, type RawBuilder, sql } from 'kysely'
import type { EventsTable, WebhooksDb } from '../db/schema.ts'

type Db = Kysely<WebhooksDb>
export type NewEvent = Required<Insertable<EventsTable>>

const writtenColumns: readonly (keyof NewEvent)[] = [
  ...(['event_id', 'ordinal', 'scope', 'obj_name', 'obj_id', 'obj_val', 'source'] as const),
  ...(['timestamp', 'count', 'duration', 'project_id', 'task_id', 'job_id', 'user_id'] as const),
  ...(['user_name', 'user_email', 'org_id', 'org_slug', 'payload'] as const),
  ...(['access_token_id', 'address'] as const),
]

/**
 * Slug of the organization at the time of the event. An event can arrive before the first event of its organization.
 */
const slug = sql<string | null>`coalesce(
  event.org_slug, (select slug from organizations where id = event.org_id))`

/** Inserts any number of rows in one statement; existing rows are skipped. */
export async function insertEvents(db: Db, rows: readonly NewEvent[]): Promise<void> {
  if (rows.length === 0) return
  const columns = sql.join(writtenColumns.map((name) => sql.id(name)))
  const values = sql.join(writtenColumns.map((name) => (name === 'org_slug' ? slug : sql.id(name))))
  await sql`
    insert into events (${columns})
    select ${values} from json_populate_recordset(null::events, ${JSON.stringify(rows)}::json) as event
    on conflict do nothing`.execute(db)
}

/** Scope that exports leave out: exceptions reported by clients. */
const omittedScope = 'send:exception'

/** Characters that a spreadsheet may strip from the start of a cell: quotes, blanks and zero-width characters. */
const unseen =
  '[:space:][:cntrl:]"\\u0085\\u00a0\\u00ad\\u034f\\u061c\\u115f\\u1160\\u1680\\u180b-\\u180e' +
  '\\u2000-\\u200f\\u201c\\u2028-\\u202f\\u205f-\\u206f\\u3000\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0'

/**
 * Pattern of cells that a spreadsheet runs as a formula: these characters, also full-width or after stripped
 * characters. A tab or line break starts a new cell.
 */
const formula = `^([\\t\\r\\n]|[${unseen}]*[-=+@\\u2212\\uff0d\\uff1d\\uff0b\\uff20\\ufe62\\ufe63\\ufe66\\ufe6b])`

/**
 * Text of a cell that is safe in a spreadsheet: an apostrophe before a formula makes it plain text. Numeric columns
 * need no escaping.
 */
const cell = (text: RawBuilder<string | null>) =>
  sql<string | null>`case when ${text} ~ ${formula} then '''' || ${text} else ${text} end`

type TextColumn = 'scope' | 'obj_name' | 'obj_val' | 'user_name' | 'user_email' | 'payload'
const textOf = (name: TextColumn) => cell(sql<string | null>`event.${sql.id(name)}`).as(name)
/** Selects a filtered part of the event log with the columns of the exported file, in the order of `eventColumns`. */
export function selectExported(db: Db, filter: EventFilter): CompiledQuery {
  let query = db
    .selectFrom('events as event')
    .select([textOf('scope'), textOf('obj_name'), 'obj_id', textOf('obj_val'), 'source'])
    .select(isoTime.as('timestamp'))
    .select(['count', 'duration', 'project_id', 'task_id', 'job_id', 'user_id'])
    .select([textOf('user_name'), textOf('user_email'), 'org_id', cell(slug).as('org_slug')])
    .select([textOf('payload'), 'access_token_id'])
    .where('scope', '<>', omittedScope)
    .orderBy('event.timestamp')
    .orderBy('event_id')
    .orderBy('ordinal')
  for (const column of ['org_id', 'project_id', 'task_id', 'job_id', 'user_id'] as const) {
    const wanted = filter[column]
    if (wanted !== null) query = query.where(column, '=', wanted)
  }
  if (filter.is_personal) query = query.where('org_id', 'is', null)
  if (filter.from !== null) query = query.where('event.timestamp', '>=', moment(filter.from))
  if (filter.to !== null) query = query.where('event.timestamp', '<=', moment(filter.to))
  return query.compile()
}

const moment = (iso: string) => sql<Date>`${iso}::timestamptz`
const isoTime = sql<string>`to_char(event.timestamp at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

const slice = 5000

/**
 * Deletes older events in small batches, so that other statements are not blocked. Several processes may run it at
 * once.
 */
export async function deleteEventsBefore(db: Db, limit: Date): Promise<void> {
  for (let deleted = slice; deleted === slice; ) {
    const { numAffectedRows = 0n } = await sql`
      delete from events where ("timestamp", event_id, ordinal) in (
        select "timestamp", event_id, ordinal from events where "timestamp" < ${limit}
        order by "timestamp" limit ${slice} for update skip locked)`.execute(db)
    deleted = Number(numAffectedRows)
  }
}
