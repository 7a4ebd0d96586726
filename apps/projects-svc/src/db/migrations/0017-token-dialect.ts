import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Dialect of the clients of an access token. No constraint lists the dialects, because only the gateway knows them. */
const statements: readonly string[] = [
  "alter table access_tokens add column dialect text not null default 'service'",
]

export const tokenDialect: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
