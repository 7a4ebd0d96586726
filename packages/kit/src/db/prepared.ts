import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely'
import type { QueryArrayConfig, QueryConfig } from 'pg'
import type { StreamingStatement } from './session/session.ts'

/** One text of SQL under a name of its own: the server plans it once a connection. */
export interface Prepared {
  name: string
  text: string
}

/** A pool or a transaction, whatever its tables. */
type Runner = Pick<Kysely<unknown>, 'executeQuery'>

/**
 * Runs a prepared statement, for what every call of a service does: a plain one costs the server more to plan than to
 * run. The columns are named in it: `select *` fails on connections that are older than a new column.
 */
export function queryRows<R>(
  db: Runner,
  prepared: Prepared,
  values: readonly unknown[],
): Promise<R[]> {
  return run<R>(db, { ...prepared, values: [...values] })
}

/** The same of a query that is put together: under one name it has one text, whatever its values. */
export function runPrepared<T, R>(db: Kysely<T>, name: string, query: RawBuilder<R>): Promise<R[]> {
  const { sql: text, parameters } = query.compile(db)
  return queryRows(db, { name, text }, parameters)
}

/**
 * The same; columns come as the texts that the server sent: for rows that are passed on and never looked at
 * (`perf-design.md` 4.2).
 */
export function queryTexts(
  db: Runner,
  prepared: Prepared,
  values: readonly unknown[],
): Promise<(string | null)[][]> {
  return run(db, { ...prepared, values: [...values], rowMode: 'array' as const, types: asTexts })
}

async function run<R>(db: Runner, config: QueryConfig | QueryArrayConfig): Promise<R[]> {
  let rows: R[] = []
  const statement: StreamingStatement = {
    runOn: async (client, { duringCall }) => {
      const answer = await duringCall(() => client.query<R & object>(config))
      rows = answer.rows as R[]
      return rows.length
    },
  }
  await db.executeQuery(CompiledQuery.raw('', [statement]))
  return rows
}

const asTexts = { getTypeParser: () => (text: string) => text }
