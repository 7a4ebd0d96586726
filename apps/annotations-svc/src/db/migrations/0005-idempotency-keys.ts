import type { MigrationStep } from '@reticle/kit/db/migrate'
import { idempotencyKeysTable } from '@reticle/kit/keys/table'

/** Idempotency keys of client calls, with the responses to return on a repeat. */
export const idempotencyKeys: MigrationStep = {
  up: (db) => idempotencyKeysTable(db, 'annotations'),
}
