import type { MigrationStep } from '@reticle/kit/db/migrate'
import { idempotencyKeysTable } from '@reticle/kit/keys/table'

/** Idempotency keys and the stored answers. */
export const idempotencyKeys: MigrationStep = {
  up: (db) => idempotencyKeysTable(db, 'requests'),
}
