import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Sessions of browsers, and keys sent by mail. Only hashes of the values are stored. */
const statements = [
  `create table sessions (
    id integer generated always as identity primary key,
    user_id integer not null references users on delete cascade,
    token_hash bytea not null,
    created_date timestamptz(3) not null,
    expiry_date timestamptz(3) not null
  )`,
  'create unique index sessions_token_hash_key on sessions (token_hash)',
  'create index sessions_user_id_idx on sessions (user_id)',
  'create index sessions_expiry_date_idx on sessions (expiry_date)',

  `create table mailed_keys (
    id integer generated always as identity primary key,
    user_id integer not null references users on delete cascade,
    purpose text not null
      constraint mailed_keys_purpose_check check (purpose in ('password', 'email')),
    key_hash bytea not null,
    expiry_date timestamptz(3) not null
  )`,
  'create unique index mailed_keys_key_hash_key on mailed_keys (key_hash)',
  'create index mailed_keys_user_id_idx on mailed_keys (user_id)',
  'create index mailed_keys_expiry_date_idx on mailed_keys (expiry_date)',
]

export const sessions: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
