import type { MigrationStep } from '@reticle/kit/db/migrate'
import { keyDeadEvents, outboxSentTable } from '@reticle/kit/outbox/tables'

/** Keeps published events for two days, and keys dead events by their ids. */
export const outboxSent: MigrationStep = {
  up: async (db) => {
    await outboxSentTable(db, 'webhooks')
    await keyDeadEvents(db, 'webhooks')
  },
}
