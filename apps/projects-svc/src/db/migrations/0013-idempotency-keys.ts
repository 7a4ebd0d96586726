import type { MigrationStep } from '@reticle/kit/db/migrate'
import { idempotencyKeysTable } from '@reticle/kit/keys/table'

/** Idempotency keys of calls, with the stored responses. */
export const idempotencyKeys: MigrationStep = {
  up: (db) => idempotencyKeysTable(db, 'projects'),
}
