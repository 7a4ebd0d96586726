import { sql } from 'kysely'
import type { Session } from './connect.ts'
import type { StreamingStatement } from './session/session.ts'

/** One text of SQL under a name of its own: the server plans it once a connection. */
export interface Prepared {
  name: string
  text: string
}

/**
 * Runs a prepared statement. Columns come as the texts that the server sent: for rows that are passed on and never
 * looked at (`perf-design.md` 4.2).
 */
export async function queryTexts<T>(
  db: Session<T>,
  { name, text }: Prepared,
  values: readonly unknown[],
): Promise<(string | null)[][]> {
  let rows: (string | null)[][] = []
  const statement: StreamingStatement = {
    runOn: async (client, { duringCall }) => {
      const config = { name, text, values: [...values], rowMode: 'array' as const, types: asTexts }
      const run = () => client.query<(string | null)[]>(config)
      rows = (await duringCall(run)).rows
      return rows.length
    },
  }
  await sql`${statement}`.execute(db)
  return rows
}

const asTexts = { getTypeParser: () => (text: string) => text }
