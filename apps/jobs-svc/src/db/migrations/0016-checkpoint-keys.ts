import { indexStep } from '@reticle/kit/db/migrate'
import { sql } from 'kysely'

/** Whether an object is still to be gone on with (`objects/repo.ts`). */
export const checkpointKeys = indexStep(
  'requests_checkpoint_key_idx',
  sql`requests ((checkpoint ->> 'key')) where checkpoint is not null`,
)
