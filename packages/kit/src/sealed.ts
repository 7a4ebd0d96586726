import { type Kysely, sql } from 'kysely'
import type { SecretBox } from './secrets.ts'

/** A column that holds what a `SecretBox` sealed. */
export interface SealedColumn {
  table: string
  /** Its primary key: integers above 0. */
  id: string
  column: string
  /** Where a text is kept, as it was sealed with (`SecretBox.seal`). */
  placeOf: (id: number) => string
}

/**
 * Refuses to work with keys that do not open what is stored: one text of every key is tried. New secrets beside old ones
 * that nobody can read would be found out only when the old ones are needed.
 *
 * @throws Error with one sentence for the terminal
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
