import { CompiledQuery, type Kysely, type RawBuilder } from 'kysely'
import type { QueryArrayConfig, QueryConfig } from 'pg'
import type { StreamingStatement } from './session/session.ts'

/** SQL text with a unique name, which the server plans once per connection. */
export interface Prepared {
  name: string
  text: string
}

/** Pool or transaction, with any tables. */
type Runner = Pick<Kysely<unknown>, 'executeQuery'>

/**
 * Runs a prepared statement. It is meant for statements of every call, for which planning would cost more than
 * execution. The columns must be named: `select *` fails on connections older than a new column.
 */
export function queryRows<R>(
  db: Runner,
  prepared: Prepared,
  values: readonly unknown[],
): Promise<R[]> {
  return run<R>(db, { ...prepared, values: [...values] })
}

/**
 * Runs a query of the query builder as a prepared statement. One name must always have the same text, with any values.
 */
export function runPrepared<T, R>(db: Kysely<T>, name: string, query: RawBuilder<R>): Promise<R[]> {
  const { sql: text, parameters } = query.compile(db)
  return queryRows(db, { name, text }, parameters)
}

/**
 * Runs a prepared statement and returns columns as the texts that the server
 * sent, for rows that are passed on without being examined.
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
