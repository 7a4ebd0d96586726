import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Events are exported, too: they belong to no object, so their `target_id` is 0 and their `rq_id` names a uuid. */
export const eventExports: Step = {
  up: async (db) => {
    await sql`alter table requests drop constraint requests_target_check`.execute(db)
    await sql`alter table requests add constraint requests_target_check
      check (target in ('project', 'task', 'job', 'events'))`.execute(db)
  },
}
