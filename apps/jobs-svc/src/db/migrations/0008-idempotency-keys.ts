import type { Step } from '@reticle/kit/db/migrate'
import { idempotencyKeysTable } from '@reticle/kit/keys/table'

/** Keys of calls that their senders may repeat, and what those were answered. */
export const idempotencyKeys: Step = {
  up: (db) => idempotencyKeysTable(db, 'requests'),
}
