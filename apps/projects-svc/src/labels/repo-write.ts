import type { Label } from '@reticle/contracts/rest/labels'
import type { Insertable, Transaction } from 'kysely'
import { type Owner, ownerColumns } from '../access/owner.ts'
import type { AttributesTable, LabelsTable, ProjectsDb } from '../db/schema.ts'
import { type AttributeDraft, draftOf, type LabelDraft, withSublabels } from './draft.ts'
import { bindDrawing } from './drawing.ts'
import type { LabelsPlan } from './plan.ts'

type Tx = Transaction<ProjectsDb>
type NewLabel = Insertable<LabelsTable>
type NewAttribute = Insertable<AttributesTable>

/** Rows per statement, far below the parameter limit of the driver. */
const batch = 1000

/** Writes the planned labels of an owner. Call it under the lock of the owner's row. */
export async function writeLabels(
  tx: Tx,
  owner: Owner,
  current: readonly Label[],
  plan: LabelsPlan,
): Promise<void> {
  await deleteAll(tx, 'attributes', plan.removed_attributes)
  await deleteAll(tx, 'labels', plan.removed_labels)
  const before = new Map(withSublabels(current.map(draftOf)).map((one) => [one.id, one]))
  for (const label of withSublabels(plan.labels)) await updateLabel(tx, label, before)
  await insertLabels(tx, owner, plan.labels)
  await insertAttributes(tx, plan.labels)
  await updateDrawings(tx, plan.labels, before)
}

/** Returns whether the plan changes anything. */
export function changesLabels(current: readonly Label[], { labels }: LabelsPlan): boolean {
  return JSON.stringify(current.map(draftOf)) !== JSON.stringify(labels)
}

async function deleteAll(tx: Tx, table: 'attributes' | 'labels', ids: readonly number[]) {
  if (ids.length === 0) return
  await tx
    .deleteFrom(table)
    .where((where) => where('id', '=', where.fn.any(where.val(ids))))
    .execute()
}

async function updateLabel(
  tx: Tx,
  { id, name, color, type, attributes }: LabelDraft,
  before: ReadonlyMap<number | null, LabelDraft>,
) {
  const known = before.get(id)
  if (id === null || !known) return
  if (known.name !== name || known.color !== color || known.type !== type)
    await tx.updateTable('labels').set({ name, color, type }).where('id', '=', id).execute()
  for (const attribute of attributes) await updateAttribute(tx, attribute, known.attributes)
}

async function updateAttribute(
  tx: Tx,
  { id, name, default_value, values }: AttributeDraft,
  before: readonly AttributeDraft[],
) {
  const known = before.find((one) => one.id === id)
  if (id === null || !known) return
  const isSame = known.name === name && known.default_value === default_value
  if (isSame && known.values.join('\n') === values.join('\n')) return
  const changes = { name, default_value, values }
  await tx.updateTable('attributes').set(changes).where('id', '=', id).execute()
}

/** Inserts new labels and sets their ids; parents first, so that sublabels can reference them. */
async function insertLabels(tx: Tx, owner: Owner, labels: readonly LabelDraft[]) {
  const columns = ownerColumns(owner)
  const row = ({ name, color, type }: LabelDraft, parent_id: number | null): NewLabel => ({
    ...columns,
    parent_id,
    name,
    color,
    type,
  })
  const parents = labels.filter((label) => label.id === null)
  await insertInto(tx, parents, (label) => row(label, null))
  const sublabels = labels.flatMap((label) =>
    label.sublabels.map((sublabel) => ({ label: sublabel, parent_id: label.id })),
  )
  const parentOf = new Map(sublabels.map(({ label, parent_id }) => [label, parent_id]))
  const added = [...parentOf.keys()].filter((label) => label.id === null)
  await insertInto(tx, added, (label) => row(label, parentOf.get(label) ?? null))
}

async function insertInto(
  tx: Tx,
  drafts: readonly LabelDraft[],
  rowOf: (draft: LabelDraft) => NewLabel,
) {
  for (let at = 0; at < drafts.length; at += batch) {
    const part = drafts.slice(at, at + batch)
    const values = part.map(rowOf)
    const rows = await tx
      .insertInto('labels')
      .values(values)
      .returning(['id', 'parent_id', 'name'])
      .execute()
    const idOf = new Map(rows.map((row) => [`${row.parent_id}:${row.name}`, row.id]))
    part.forEach((draft, index) => {
      draft.id = idOf.get(`${values[index]?.parent_id ?? null}:${draft.name}`) ?? null
    })
  }
}

async function insertAttributes(tx: Tx, labels: readonly LabelDraft[]) {
  const rows = withSublabels(labels).flatMap(({ id, attributes }): NewAttribute[] =>
    attributes.flatMap(({ id: known, ...attribute }) =>
      known === null && id !== null ? [{ ...attribute, label_id: id }] : [],
    ),
  )
  for (let at = 0; at < rows.length; at += batch)
    await tx
      .insertInto('attributes')
      .values(rows.slice(at, at + batch))
      .execute()
}

/** Drawings are written last, because they contain ids of sublabels. */
async function updateDrawings(
  tx: Tx,
  labels: readonly LabelDraft[],
  before: ReadonlyMap<number | null, LabelDraft>,
) {
  for (const { id, type, svg, sublabels } of labels) {
    if (type !== 'skeleton' || id === null) continue
    const drawing = bindDrawing(svg ?? '', sublabels)
    if (drawing === before.get(id)?.svg) continue
    await tx.updateTable('labels').set({ svg: drawing }).where('id', '=', id).execute()
  }
}
