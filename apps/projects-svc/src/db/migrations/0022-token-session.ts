import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/**
 * A legacy token belongs to a session and ends with it. Existing tokens get a session of 14 days that no cookie can
 * use; a token created by a replica of the previous release has no session and lasts 14 days.
 */
const statements: readonly string[] = [
  'alter table auth_tokens add column session_id integer references sessions on delete cascade',
  `insert into sessions (user_id, token_hash, created_date, expiry_date)
    select user_id, sha256('legacy token' || token_hash), created_date, now() + interval '14 days'
    from auth_tokens`,
  `update auth_tokens set session_id = sessions.id from sessions
    where sessions.token_hash = sha256('legacy token' || auth_tokens.token_hash)`,
  'create index auth_tokens_session_id_idx on auth_tokens (session_id)',
]

export const tokenSession: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
