import { type InferResult, type Insertable, type Kysely, sql, type Transaction } from 'kysely'
import type { AssetRow, AssetsTable, ProjectsDb } from '../../db/schema.ts'
import { guidesWithPeople } from '../repo.ts'

type Db = Kysely<ProjectsDb>
type Tx = Transaction<ProjectsDb>

/** Selects assets with the people of the target of their guide; `has_job` is computed for this user. */
function selectAssets(db: Db, user_id: number) {
  return guidesWithPeople(db, user_id)
    .innerJoin('assets', 'assets.guide_id', 'guides.id')
    .selectAll('assets')
    .select(['guides.task_id', 'guides.project_id'])
}

export type AssetView = InferResult<ReturnType<typeof selectAssets>>[number]

export function findAsset(db: Db, uuid: string, user_id: number): Promise<AssetView | undefined> {
  return selectAssets(db, user_id).where('assets.uuid', '=', uuid).executeTakeFirst()
}

/** Lists the assets with these uuids that belong to other guides. */
export function listAssetsElsewhere(
  db: Db,
  guide_id: number,
  uuids: readonly string[],
  user_id: number,
): Promise<AssetView[]> {
  return selectAssets(db, user_id)
    .where(sql<boolean>`assets.uuid = any(${uuids}::uuid[])`)
    .where('assets.guide_id', '<>', guide_id)
    .execute()
}

export async function countAssets(db: Db, guide_id: number): Promise<number> {
  const { count } = await db
    .selectFrom('assets')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('guide_id', '=', guide_id)
    .executeTakeFirstOrThrow()
  return count
}

/** Inserts assets of a guide. The target of the guide has to be locked. */
export async function insertAssets(
  tx: Tx,
  rows: readonly Insertable<AssetsTable>[],
): Promise<AssetRow[]> {
  if (rows.length === 0) return []
  return tx.insertInto('assets').values(rows).returningAll().execute()
}

export async function deleteAsset(tx: Tx, uuid: string): Promise<void> {
  await tx.deleteFrom('assets').where('uuid', '=', uuid).execute()
}

/** Deletes all assets of a guide except `kept`. */
export async function deleteOtherAssets(
  tx: Tx,
  guide_id: number,
  kept: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('assets')
    .where('guide_id', '=', guide_id)
    .where(sql<boolean>`uuid <> all(${kept}::uuid[])`)
    .execute()
}
