import type { Step } from '@reticle/kit/db/migrate'
import { idempotencyKeysTable } from '@reticle/kit/keys/table'

/** Idempotency keys and the stored answers. */
export const idempotencyKeys: Step = {
  up: (db) => idempotencyKeysTable(db, 'requests'),
}
