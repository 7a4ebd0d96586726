import { indexStep, type Step } from '@reticle/kit/db/migrate'
import { type Kysely, sql } from 'kysely'

/**
 * Frames are found by any part of their names (`spec/api-workspace.md` 10, row 5): an index over the threes of letters in
 * them, of frames that are there as well.
 */
export const frameNames: Step = {
  transactional: false,
  up: async (db) => {
    const operators = sql.id(await trigrams(db), 'gin_trgm_ops')
    await indexStep('frames_name_idx', sql`frames using gin (name ${operators})`).up(db)
  },
}

/** The schema that the extension is in: that of whoever made it, an administrator (`deploy/docker/roles.sql`) or this step. */
async function trigrams(db: Kysely<unknown>): Promise<string> {
  await sql`create extension if not exists pg_trgm`.execute(db)
  const { rows } = await sql<{ schema: string }>`
    select extnamespace::regnamespace::text as schema from pg_extension where extname = 'pg_trgm'`.execute(
    db,
  )
  return rows[0]?.schema ?? 'public'
}
