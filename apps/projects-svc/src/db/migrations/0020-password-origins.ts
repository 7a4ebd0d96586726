import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

const statements: readonly string[] = [
  `create table password_origins (
    user_id integer not null references users on delete cascade,
    address text not null,
    used_date timestamptz(3) not null,
    primary key (user_id, address)
  )`,
  'alter table password_failures add column is_familiar boolean not null default false',
  'alter table password_failures add column logged_date timestamptz(3)',
]

/** Networks from which a user has signed in, and the failures that the event log has reported. */
export const passwordOrigins: MigrationStep = {
  up: async (db) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}
