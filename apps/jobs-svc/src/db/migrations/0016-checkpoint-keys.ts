import { indexStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Finds objects that an export may still resume (`storage/repo-objects.ts`). */
export const checkpointKeys = indexStep(
  'requests_checkpoint_key_idx',
  sql`requests ((checkpoint ->> 'key')) where checkpoint is not null`,
)
