import type { Label } from '@reticle/contracts/rest/labels'
import type { Kysely } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { LabelRow, ProjectsDb } from '../db/schema.ts'
import { type Owner, ownerKey } from '../owner.ts'
import { toLabels, toLabelsByOwner } from './messages.ts'

type Db = Kysely<ProjectsDb>

/** Labels with their attributes, both in id order. */
function selectLabels(db: Db) {
  return db
    .selectFrom('labels')
    .selectAll('labels')
    .select((of) =>
      jsonArrayFrom(
        of
          .selectFrom('attributes')
          .select(['attributes.id', 'name', 'mutable', 'input_type', 'default_value', 'values'])
          .whereRef('label_id', '=', 'labels.id')
          .orderBy('attributes.id'),
      ).as('attributes'),
    )
    .orderBy('labels.id')
}

/** Labels of many owners in one query: by the key of the owner; an owner without labels has no entry. */
export async function listLabelsOf(
  db: Db,
  owners: readonly Owner[],
): Promise<Map<string, Label[]>> {
  const ids = (kind: Owner['kind']) =>
    owners.filter((one) => one.kind === kind).map((one) => one.id)
  if (owners.length === 0) return new Map()
  const rows = await selectLabels(db)
    .where((where) =>
      where.or([
        where('project_id', '=', where.fn.any(where.val(ids('project')))),
        where('task_id', '=', where.fn.any(where.val(ids('task')))),
      ]),
    )
    .execute()
  return toLabelsByOwner(rows)
}

/** Labels of one owner. */
export async function listOwnLabels(db: Db, owner: Owner): Promise<Label[]> {
  const labels = await listLabelsOf(db, [owner])
  return labels.get(ownerKey(owner)) ?? []
}

/** Labels by id, in that order and with their sublabels, in one query; those that are gone are left out. */
export async function listLabelsById(db: Db, ids: readonly number[]): Promise<Label[]> {
  if (ids.length === 0) return []
  const rows = await selectLabels(db)
    .where((where) =>
      where.or([
        where('id', '=', where.fn.any(where.val([...ids]))),
        where('parent_id', '=', where.fn.any(where.val([...ids]))),
      ]),
    )
    .execute()
  return toLabels(ids, rows)
}

export function findLabel(db: Db, id: number): Promise<LabelRow | undefined> {
  return db.selectFrom('labels').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Labels of an owner go with their attributes. */
export async function deleteOwnLabels(db: Db, owner: Owner): Promise<void> {
  const { kind, id } = owner
  const column = kind === 'project' ? 'project_id' : 'task_id'
  await db.deleteFrom('labels').where(column, '=', id).execute()
}
