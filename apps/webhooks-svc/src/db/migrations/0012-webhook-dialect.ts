import type { Step } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** The form of the payloads of a webhook: webhooks of earlier releases keep that of the service. */
export const webhookDialect: Step = {
  up: async (db) => {
    await sql`alter table webhooks add column dialect text not null default 'service'
      constraint webhooks_dialect_check check (dialect in ('service', 'cvat'))`.execute(db)
  },
}
