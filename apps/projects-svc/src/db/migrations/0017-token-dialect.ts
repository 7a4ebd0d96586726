import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** What the clients of an access token speak; no constraint says which dialects there are: the gateway knows them. */
const statements: readonly string[] = [
  "alter table access_tokens add column dialect text not null default 'service'",
]

export const tokenDialect: Step = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
