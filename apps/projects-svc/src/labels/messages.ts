import type { Attribute, Label, Sublabel } from '@reticle/contracts/rest/labels'
import { ownerKey, ownerOf } from '../access/owner.ts'
import type { LabelRow } from '../db/schema.ts'

/** Label records, with sublabels inside their parents. */

export interface LabelView extends LabelRow {
  attributes: Attribute[]
}

/** Groups top-level labels by the key of their owner; `rows` have to be in id order. */
export function toLabelsByOwner(rows: readonly LabelView[]): Map<string, Label[]> {
  const children = group(rows, (row) => row.parent_id ?? 0)
  const labels = new Map<string, Label[]>()
  for (const row of children.get(0) ?? []) {
    const key = ownerKey(ownerOf(row))
    const list = labels.get(key) ?? []
    labels.set(key, list)
    list.push(toLabel(row, children.get(row.id) ?? []))
  }
  return labels
}

/** Returns labels in the order of `ids`; `rows` are the existing ones with their sublabels, in id order. */
export function toLabels(ids: readonly number[], rows: readonly LabelView[]): Label[] {
  const children = group(rows, (row) => row.parent_id ?? 0)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [toLabel(row, children.get(id) ?? [])] : []
  })
}

function toLabel(row: LabelView, sublabels: readonly LabelView[]): Label {
  return {
    ...fieldsOf(row),
    sublabels: sublabels.map(fieldsOf),
    ...(row.type === 'skeleton' && { svg: row.svg ?? '' }),
    ...(row.project_id === null ? {} : { project_id: row.project_id }),
    ...(row.task_id === null ? {} : { task_id: row.task_id }),
    parent_id: row.parent_id,
  }
}

function fieldsOf({ id, name, color, type, attributes, parent_id }: LabelView): Sublabel {
  return { id, name, color, type, attributes, has_parent: parent_id !== null }
}

function group<R>(rows: readonly R[], keyOf: (row: R) => number): Map<number, R[]> {
  const groups = new Map<number, R[]>()
  for (const row of rows) {
    const key = keyOf(row)
    const list = groups.get(key)
    if (list) list.push(row)
    else groups.set(key, [row])
  }
  return groups
}
