import type { Step } from '@reticle/kit/db/migrate'
import { keyDeadEvents, outboxSentTable } from '@reticle/kit/outbox/tables'

/** What was published stays for two days, and dead events are known by their ids. */
export const outboxSent: Step = {
  up: async (db) => {
    await outboxSentTable(db, 'annotations')
    await keyDeadEvents(db, 'annotations')
  },
}
