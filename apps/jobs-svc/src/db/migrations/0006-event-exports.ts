import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Exports of the event log: they have no object, so their `target_id` is 0 and their `rq_id` contains a uuid. */
export const eventExports: MigrationStep = {
  up: async (db) => {
    await sql`alter table requests drop constraint requests_target_check`.execute(db)
    await sql`alter table requests add constraint requests_target_check
      check (target in ('project', 'task', 'job', 'events'))`.execute(db)
  },
}
