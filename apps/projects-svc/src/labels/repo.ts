import type { Label } from '@reticle/contracts/rest/labels'
import type { Kysely } from 'kysely'
import type { AttributeRow, LabelRow, ProjectsDb } from '../db/schema.ts'
import { type Owner, ownerKey } from '../owner.ts'
import { toLabels, toLabelsByOwner } from './messages.ts'

type Db = Kysely<ProjectsDb>

/** Labels of many owners in two queries: by the key of the owner; an owner without labels has no entry. */
export async function listLabelsOf(
  db: Db,
  owners: readonly Owner[],
): Promise<Map<string, Label[]>> {
  const ids = (kind: Owner['kind']) =>
    owners.filter((one) => one.kind === kind).map((one) => one.id)
  if (owners.length === 0) return new Map()
  const rows = await db
    .selectFrom('labels')
    .selectAll()
    .where((where) =>
      where.or([
        where('project_id', '=', where.fn.any(where.val(ids('project')))),
        where('task_id', '=', where.fn.any(where.val(ids('task')))),
      ]),
    )
    .orderBy('id')
    .execute()
  return toLabelsByOwner(rows, await listAttributes(db, rows))
}

/** Labels of one owner. */
export async function listOwnLabels(db: Db, owner: Owner): Promise<Label[]> {
  const labels = await listLabelsOf(db, [owner])
  return labels.get(ownerKey(owner)) ?? []
}

/** Records of label rows, sublabels and attributes included, in two queries. */
export async function toRecords(db: Db, rows: readonly LabelRow[]): Promise<Label[]> {
  if (rows.length === 0) return []
  const parents = rows.map((row) => row.id)
  const sublabels = await db
    .selectFrom('labels')
    .selectAll()
    .where((where) => where('parent_id', '=', where.fn.any(where.val(parents))))
    .orderBy('id')
    .execute()
  return toLabels(rows, sublabels, await listAttributes(db, [...rows, ...sublabels]))
}

async function listAttributes(db: Db, labels: readonly LabelRow[]): Promise<AttributeRow[]> {
  const ids = labels.map((row) => row.id)
  return db
    .selectFrom('attributes')
    .selectAll()
    .where((where) => where('label_id', '=', where.fn.any(where.val(ids))))
    .orderBy('id')
    .execute()
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
