import pg from 'pg'

/**
 * Puts dates into the past, of projects-svc unless the statement names another schema, for what lasts longer than a test waits.
 *
 * @param url address of the database that people are in
 */
export async function longAgo(url: string, statement: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rowCount } = await client
      .query(`set search_path = projects`)
      .then(() => client.query(statement, values))
    if (rowCount === 0) throw new Error(`nothing was changed by: ${statement}`)
  } finally {
    await client.end()
  }
}
