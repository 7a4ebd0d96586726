import pg from 'pg'

/**
 * Moves dates into the past, where a test cannot wait. The statement runs in the schema of projects-svc unless it names
 * another one.
 *
 * @param url address of the database of users
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
