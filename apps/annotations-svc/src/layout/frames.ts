import { type AnnotationRow, decodeShape } from '@reticle/contracts/row-lines'
import { assignPairs, type Edge } from '@reticle/geometry'
import { type Comparer, type Form, formOf } from './similar.ts'

/** Row of a tag or shape, and its job. */
export interface JobObjectRow extends AnnotationRow {
  job_id: number
}

/** An object of a task: a row, and the rows of later jobs that are the same object. */
export interface Folded {
  row: JobObjectRow
  /** All rows; the first is `row`. */
  members: JobObjectRow[]
}

/** Highest cost (1 - similarity) at which two shapes are the same object. */
const acceptedCost = 0.25

/** Merges the rows of one frame from all jobs into objects, in the order of ids. Rows of earlier jobs come first. */
export function foldFrame(rows: readonly JobObjectRow[], comparer: Comparer): Folded[] {
  const objects: Folded[] = []
  for (let at = 0; at < rows.length; ) {
    const job = rows[at]?.job_id
    let end = at
    while (rows[end]?.job_id === job && end < rows.length) end += 1
    foldJob(objects, rows.slice(at, end), comparer)
    at = end
  }
  return objects.sort((a, b) => idOf(a.row) - idOf(b.row))
}

export const idOf = ({ columns }: AnnotationRow) => Number(columns[2])

function foldJob(objects: Folded[], rows: readonly JobObjectRow[], comparer: Comparer): void {
  const { free, rest } = objects.length > 0 ? pairTwins(objects, rows) : { free: [], rest: rows }
  const joined = pairAlike(free, rest, comparer)
  for (const row of rest) if (!joined.has(row)) objects.push({ row, members: [row] })
}

/** Pairs equal rows first: some optimal pairing always contains these pairs. */
function pairTwins(objects: readonly Folded[], rows: readonly JobObjectRow[]) {
  const waiting = new Map<string, Folded[]>()
  for (const object of objects) {
    const key = contentOf(object.row)
    const others = waiting.get(key)
    if (others) others.push(object)
    else waiting.set(key, [object])
  }
  for (const list of waiting.values()) list.reverse() // reversed, so that pop() takes the first one
  const rest: JobObjectRow[] = []
  for (const row of rows) {
    const twin = waiting.get(contentOf(row))?.pop()
    if (twin) twin.members.push(row)
    else rest.push(row)
  }
  const free = new Set([...waiting.values()].flat())
  return { free: objects.filter((one) => free.has(one)), rest }
}

/** Returns a key that is equal for equal rows. Numbers are compared as the stored text. */
function contentOf({ kind, columns }: AnnotationRow): string {
  const label = columns[1] ?? ''
  if (kind === 'tag') return label
  const [rotation, type, points, elements] = [columns[5], columns[7], columns[11], columns[13]]
  const own = `${label} ${type} ${rotation} ${points}`
  return elements
    ? `${own} ${JSON.stringify(formOf(decodeShape(columns)).elements, formKeys)}`
    : own
}

const formKeys = ['type', 'label_id', 'points', 'rotation', 'outside']

function pairAlike(
  objects: readonly Folded[],
  rows: readonly JobObjectRow[],
  comparer: Comparer,
): Set<JobObjectRow> {
  const joined = new Set<JobObjectRow>()
  for (const { left, right, similarity } of assignPairs(edgesOf(objects, rows, comparer))) {
    const [object, row] = [objects[left], rows[right]]
    if (!object || !row || 1 - similarity > acceptedCost) continue
    object.members.push(row)
    joined.add(row)
  }
  return joined
}

function edgesOf(objects: readonly Folded[], rows: readonly JobObjectRow[], { forms }: Comparer) {
  const candidates = new Map<string, { left: number; form: Form }[]>()
  for (const [left, { row }] of objects.entries()) {
    if (row.kind === 'tag') continue // tags of one label are always equal
    const list = candidates.get(kindOf(row)) ?? []
    candidates.set(kindOf(row), list)
    list.push({ left, form: formOf(decodeShape(row.columns)) })
  }
  const edges: Edge[] = []
  for (const [right, row] of rows.entries()) {
    const list = candidates.get(kindOf(row)) ?? []
    if (list.length === 0) continue
    const own = formOf(decodeShape(row.columns))
    for (const { left, form } of list) {
      const similarity = forms(form, own)
      if (similarity > 0) edges.push({ left, right, similarity })
    }
  }
  return edges
}

/** Returns label and type. */
const kindOf = ({ columns }: AnnotationRow) => `${columns[1]} ${columns[7]}`
