import { type Kysely, sql } from 'kysely'
import type { SecretBox } from './secrets.ts'

/** Column with values encrypted by a `SecretBox`. */
export interface SealedColumn {
  table: string
  /** Primary key: integers above 0. */
  id: string
  column: string
  /** Returns the place that a value was encrypted for (`SecretBox.seal`). */
  placeOf: (id: number) => string
}

/**
 * Checks that the keys decrypt the stored values, by trying one value of every key. Otherwise the loss of a key would
 * be noticed only when an old secret is needed.
 * @throws Error with a sentence for the operator
 */
export async function assertKeysFit<T>(
  db: Kysely<T>,
  box: SecretBox,
  columns: readonly SealedColumn[],
): Promise<void> {
  for (const { table, id, column, placeOf } of columns) {
    const { rows } = await sql<{ id: number; key: string; sealed: string }>`
      select distinct on (2) ${sql.id(id)} as id, split_part(${sql.id(column)}, '.', 1) as key,
        ${sql.id(column)} as sealed
      from ${sql.id(table)} where ${sql.id(column)} is not null order by 2, 1`.execute(db)
    for (const row of rows) assertOpens(box, row, { table, place: placeOf(row.id) })
  }
}

function assertOpens(
  box: SecretBox,
  { key, sealed }: { key: string; sealed: string },
  { table, place }: { table: string; place: string },
): void {
  try {
    box.open(sealed, place)
  } catch (cause) {
    throw new Error(
      `RETICLE_SECRET_KEYS do not open the secrets in ${table} that were sealed with "${key}": give that key again`,
      { cause },
    )
  }
}
