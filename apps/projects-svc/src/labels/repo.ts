import type { Label } from '@reticle/contracts/rest/labels'
import { queryRows } from '@reticle/kit/db/prepared'
import type { Kysely } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import { type Owner, ownerKey, ownerOf } from '../access/owner.ts'
import { type FactsRow, type FactsTarget, factsStatements } from '../access/repo-facts.ts'
import type { LabelRow, ProjectsDb } from '../db/schema.ts'
import { type LabelView, toLabels, toLabelsByOwner } from './messages.ts'

type Db = Kysely<ProjectsDb>

/** Selects labels with their attributes, both in id order. */
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

/** Lists the labels of many owners with one query, by the key of the owner; owners without labels have no entry. */
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

/** Lists the labels of one owner. */
export async function listOwnLabels(db: Db, owner: Owner): Promise<Label[]> {
  const labels = await listLabelsOf(db, [owner])
  return labels.get(ownerKey(owner)) ?? []
}

/** Labels that annotations of a target use, with some facts of the target. */
export interface FactsWithLabels
  extends Pick<FactsRow, 'project_id' | 'task_id' | 'draft_id' | 'labels_revision'> {
  labels: Label[]
}

/**
 * Finds the label set with one prepared statement, because a save waits for it and the labels have to match the
 * revision.
 */
export async function findLabelSet(
  db: Db,
  { target, id }: FactsTarget,
): Promise<FactsWithLabels | undefined> {
  const name = `labels_of_${target}`
  const text = `select facts.project_id, facts.task_id, facts.draft_id, facts.labels_revision,
      (${ownedLabels}) as labels from (${factsStatements[target].text}) facts`
  const [row] = await queryRows<Omit<FactsWithLabels, 'labels'> & { labels: LabelView[] }>(
    db,
    { name, text },
    [id],
  )
  if (!row) return undefined
  return { ...row, labels: toLabelsByOwner(row.labels).get(ownerKey(ownerOf(row))) ?? [] }
}

const ownedLabels = `select coalesce(json_agg(owned order by owned.id), '[]') from (
    select id, project_id, task_id, parent_id, name, color, type, svg,
      (select coalesce(json_agg(agg), '[]') from (
        select attributes.id, name, mutable, input_type, default_value, values from attributes
        where label_id = labels.id order by attributes.id) agg) as attributes
    from labels where project_id = facts.project_id
      or task_id = case when facts.project_id is null then facts.task_id end) owned`

/** Labels per query; other calls run between two queries. */
const labelsAtOnce = 500

/** Lists labels by id, in that order and with their sublabels, in several queries; deleted ones are left out. */
export async function listLabelsById(db: Db, ids: readonly number[]): Promise<Label[]> {
  const labels: Label[] = []
  for (let from = 0; from < ids.length; from += labelsAtOnce) {
    const some = ids.slice(from, from + labelsAtOnce)
    labels.push(...toLabels(some, await selectLabelsById(db, some)))
  }
  return labels
}

function selectLabelsById(db: Db, ids: number[]): Promise<LabelView[]> {
  return selectLabels(db)
    .where((where) =>
      where.or([
        where('id', '=', where.fn.any(where.val(ids))),
        where('parent_id', '=', where.fn.any(where.val(ids))),
      ]),
    )
    .execute()
}

export function findLabel(db: Db, id: number): Promise<LabelRow | undefined> {
  return db.selectFrom('labels').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Deletes the labels of an owner with their attributes. */
export async function deleteOwnLabels(db: Db, owner: Owner): Promise<void> {
  const { kind, id } = owner
  const column = kind === 'project' ? 'project_id' : 'task_id'
  await db.deleteFrom('labels').where(column, '=', id).execute()
}
