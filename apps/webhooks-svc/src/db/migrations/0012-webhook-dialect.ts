import type { MigrationStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Adds the API whose form the payloads of a webhook have. Existing webhooks get `service`, the native API. */
export const webhookDialect: MigrationStep = {
  up: async (db) => {
    await sql`alter table webhooks add column dialect text not null default 'service'
      constraint webhooks_dialect_check check (dialect in ('service', 'cvat'))`.execute(db)
  },
}
