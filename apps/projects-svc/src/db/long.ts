import { sql, type Transaction } from 'kysely'

/** Gives the statements of this transaction a minute each: they touch everything below one project or task. */
export async function allowLongStatements<T>(tx: Transaction<T>): Promise<void> {
  await sql`set local statement_timeout = '60s'`.execute(tx)
}
