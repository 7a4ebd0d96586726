import type { Label, Sublabel } from '@reticle/contracts/rest/labels'
import type { AttributeRow, LabelRow } from '../db/schema.ts'
import { ownerKey, ownerOf } from '../owner.ts'

/** Labels as records (`spec/api-workspace.md` 4.3), sublabels inside their parents. */

type Attributes = ReadonlyMap<number, AttributeRow[]>

/** Top-level labels by the key of their owner; `rows` and `attributes` in id order. */
export function toLabelsByOwner(
  rows: readonly LabelRow[],
  attributes: readonly AttributeRow[],
): Map<string, Label[]> {
  const children = group(rows, (row) => row.parent_id ?? 0)
  const specs = group(attributes, (row) => row.label_id)
  const labels = new Map<string, Label[]>()
  for (const row of children.get(0) ?? []) {
    const key = ownerKey(ownerOf(row))
    const list = labels.get(key) ?? []
    labels.set(key, list)
    list.push(toLabel(row, children.get(row.id) ?? [], specs))
  }
  return labels
}

/** Single labels, in the order of `rows`; `family` holds their sublabels, and may hold more. */
export function toLabels(
  rows: readonly LabelRow[],
  family: readonly LabelRow[],
  attributes: readonly AttributeRow[],
): Label[] {
  const children = group(family, (row) => row.parent_id ?? 0)
  const specs = group(attributes, (row) => row.label_id)
  return rows.map((row) => toLabel(row, children.get(row.id) ?? [], specs))
}

function toLabel(row: LabelRow, sublabels: readonly LabelRow[], specs: Attributes): Label {
  return {
    ...fieldsOf(row, specs),
    sublabels: sublabels.map((one) => fieldsOf(one, specs)),
    ...(row.type === 'skeleton' && { svg: row.svg ?? '' }),
    ...(row.project_id === null ? {} : { project_id: row.project_id }),
    ...(row.task_id === null ? {} : { task_id: row.task_id }),
    parent_id: row.parent_id,
  }
}

function fieldsOf(row: LabelRow, specs: Attributes): Sublabel {
  return {
    id: row.id,
    name: row.name,
    color: row.color,
    type: row.type,
    attributes: (specs.get(row.id) ?? []).map(({ label_id: _, ...attribute }) => attribute),
    has_parent: row.parent_id !== null,
  }
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
