import { columnSeparator } from '@reticle/contracts/row-lines'
import { copyIn } from '@reticle/kit/db/copy'
import { sql, type Transaction } from 'kysely'
import type { AnnotationsDb } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'
import type { Batch } from '../body.ts'
import { assertObjectCount } from '../check.ts'

type Tx = Transaction<AnnotationsDb>

/**
 * Stores the batches of a body in a temporary table, and returns them once all have arrived. So a slow client makes a
 * write hold neither row locks nor the whole body in memory. The table is dropped at the end of the transaction, so a
 * transaction may contain one call only.
 *
 * @throws DomainError too_large
 */
export async function spoolBatches(
  tx: Tx,
  batches: AsyncIterable<Batch>,
  settings: Deps['settings'],
): Promise<AsyncIterable<Batch>> {
  await sql`create temporary table spooled (number integer primary key, batch text not null)
    on commit drop`.execute(tx)
  const target = { table: 'spooled', columns: ['number', 'batch'] }
  return unspool(tx, await copyIn(tx, target, linesOf(batches, settings)))
}

/** Yields a line of the bulk format per batch. JSON text needs no escaping: it escapes all control characters. */
async function* linesOf(
  batches: AsyncIterable<Batch>,
  settings: Deps['settings'],
): AsyncGenerator<Buffer> {
  let number = 0
  let objects = 0
  for await (const batch of batches) {
    objects += batch.items.length
    assertObjectCount(objects, settings.maxObjects)
    yield Buffer.from(`${number++}${columnSeparator}${JSON.stringify(batch)}\n`)
  }
}

async function* unspool(tx: Tx, count: number): AsyncGenerator<Batch> {
  for (let number = 0; number < count; number++) {
    const { rows } = await sql<{ batch: string }>`
      select batch from spooled where number = ${number}`.execute(tx)
    yield* rows.map(({ batch }): Batch => JSON.parse(batch))
  }
}
