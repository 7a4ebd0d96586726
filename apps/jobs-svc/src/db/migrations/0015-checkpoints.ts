import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Checkpoints of long exports, with the members of their archives in pieces. */
export const checkpoints: MigrationStep = {
  up: async (db) => {
    await sql`alter table requests add column checkpoint jsonb`.execute(db)
    await sql`create table checkpoint_members (
      batch_id bigint generated always as identity primary key,
      request_uuid uuid not null references requests on delete cascade,
      members text not null
    )`.execute(db)
    await sql`create index checkpoint_members_request_uuid_idx
      on checkpoint_members (request_uuid)`.execute(db)
  },
}
