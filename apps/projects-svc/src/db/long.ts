import { sql, type Transaction } from 'kysely'

/**
 * Sets the timeout of this transaction's statements to a minute, because they touch all rows below one project or
 * task.
 */
export async function allowLongStatements<T>(tx: Transaction<T>): Promise<void> {
  await sql`set local statement_timeout = '60s'`.execute(tx)
}
