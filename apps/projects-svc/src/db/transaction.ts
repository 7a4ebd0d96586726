import { retrySerialization } from '@reticle/kit/db/errors'
import type { Kysely, Transaction } from 'kysely'

/** A transaction that is run again when it lost against another one; so `run` must bear being run twice. */
export function inTransaction<T, R>(
  db: Kysely<T>,
  run: (tx: Transaction<T>) => Promise<R>,
): Promise<R> {
  return retrySerialization(() => db.transaction().execute(run))
}
