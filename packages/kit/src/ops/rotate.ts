import { type Kysely, sql, type Transaction } from 'kysely'
import type { SealedColumn } from '../settings/sealed.ts'
import { type SecretBox, secretBox } from '../settings/secrets.ts'
import { type OpsCommand, textOf } from './command-line.ts'
import { forEach, type OpsServices, someService } from './target.ts'

export interface Rotated {
  /** Number of secrets encrypted again with the newest key. */
  rewritten: number
  /** Number of secrets that had the newest key already. */
  kept: number
}

const batch = 200

/**
 * Encrypts every secret of `columns` with the newest key. Each batch is a short transaction that locks only a few rows,
 * so that services continue meanwhile; an interrupted run can be repeated.
 * @throws Error naming the row whose key is unknown; earlier batches stay rewritten
 */
export async function rotateKeys(
  db: Kysely<unknown>,
  box: SecretBox,
  columns: readonly SealedColumn[],
): Promise<Rotated> {
  const sum = { rewritten: 0, kept: 0 }
  for (const column of columns) {
    let last: number | undefined = 0
    while (last !== undefined) {
      const after: number = last
      const done = await db.transaction().execute((tx) => rotateBatch(tx, box, column, after))
      sum.rewritten += done.rewritten
      sum.kept += done.kept
      last = done.last
    }
  }
  return sum
}

async function rotateBatch(
  tx: Transaction<unknown>,
  box: SecretBox,
  { table, id, column, placeOf }: SealedColumn,
  after: number,
): Promise<Rotated & { last: number | undefined }> {
  const { rows } = await sql<{ id: number; sealed: string }>`
    select ${sql.id(id)} as id, ${sql.id(column)} as sealed from ${sql.id(table)}
    where ${sql.id(id)} > ${after} and ${sql.id(column)} is not null
    order by 1 limit ${batch} for update`.execute(tx)
  const old = rows.filter(({ sealed }) => box.isOld(sealed))
  for (const row of old) {
    const sealed = resealed(box, row, { table, place: placeOf(row.id) })
    await sql`
      update ${sql.id(table)} set ${sql.id(column)} = ${sealed} where ${sql.id(id)} = ${row.id}`.execute(
      tx,
    )
  }
  const last = rows.length === batch ? rows.at(-1)?.id : undefined
  return { rewritten: old.length, kept: rows.length - old.length, last }
}

function resealed(
  box: SecretBox,
  { id, sealed }: { id: number; sealed: string },
  { table, place }: { table: string; place: string },
): string {
  try {
    return box.seal(box.open(sealed, place), place)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`row ${id} of ${table}: ${why}; put its key back at the end of the list`, {
      cause,
    })
  }
}

/**
 * Returns the command `rotate-keys`.
 * @param keys reads `RETICLE_SECRET_KEYS` as the services have it, when the command runs
 */
export function rotateCommand(services: OpsServices, keys: () => Promise<string>): OpsCommand {
  return {
    name: 'rotate-keys',
    summary: 'encrypt stored secrets anew with the newest key',
    usage: '[--service NAME]',
    about: `Rewrites every stored secret with the first key of RETICLE_SECRET_KEYS. The services go on meanwhile; a
run that was cut off is run again. In this order:
  1. add a new key at the END of RETICLE_SECRET_KEYS and restart every process: all can read it,
  2. move it to the FRONT and restart again: new secrets are written with it,
  3. run this command until it rewrites 0,
  4. take the old key out and restart.`,
    examples: ['rotate-keys', `rotate-keys --service ${someService(services)}`],
    options: { service: { type: 'string' } },
    run: async (given, say) => {
      const box = secretBox(await keys())
      await forEach(services, textOf(given, 'service'), async ({ service: label, db, sealed }) => {
        if (sealed.length === 0) return say(`${label}: keeps no secrets`)
        const { rewritten, kept } = await rotateKeys(db, box, sealed)
        say(`${label}: ${rewritten} rewritten, ${kept} had the newest key already`)
      })
    },
  }
}
