import { type Label, type LabelWrite, label } from '@reticle/contracts/rest/labels'
import type { CallContext } from '@reticle/kit'
import type { Kysely, Transaction } from 'kysely'
import { z } from 'zod'
import type { DraftRow, ProjectRow, ProjectsDb } from '../db/schema.ts'
import { draftOf, type LabelDraft, withSublabels } from '../labels/draft.ts'
import { bindDrawing } from '../labels/drawing.ts'
import { planLabels } from '../labels/plan.ts'
import { changeProject } from '../projects/change.ts'
import { projectRecord } from '../projects/records.ts'
import { findDraft, insertReserved, type ReservedRows, reserveIds } from './repo.ts'

type Tx = Transaction<ProjectsDb>

/**
 * Plans the labels of a project with added labels and attributes, as records with reserved ids. Annotations can
 * reference them before they are published.
 *
 * @throws DomainError invalid for labels that a PATCH of the project would reject
 */
export async function planDraftLabels(
  tx: Tx,
  project_id: number,
  current: readonly Label[],
  items: readonly LabelWrite[],
): Promise<Label[]> {
  const { labels } = await planLabels(current, items)
  const all = withSublabels(labels)
  const specs = all.flatMap(({ attributes }) => attributes)
  const ids = await reserveIds(tx, 'labels', countNew(all))
  const specIds = await reserveIds(tx, 'attributes', countNew(specs))
  // Labels come before all sublabels, as in a write without a draft.
  for (const one of [...labels, ...labels.flatMap(({ sublabels }) => sublabels)])
    one.id ??= ids.shift() ?? 0
  for (const spec of specs) spec.id ??= specIds.shift() ?? 0
  return labels.map((draft) => plannedLabel(draft, project_id))
}

const countNew = (all: readonly { id: number | null }[]): number =>
  all.filter(({ id }) => id === null).length

/** Converts a label whose parts all have ids to a record. */
function plannedLabel(draft: LabelDraft, project_id: number): Label {
  const sublabels = draft.sublabels.map((part) => ({ ...recordOf(part), has_parent: true }))
  const drawing = draft.type === 'skeleton' && { svg: bindDrawing(draft.svg ?? '', sublabels) }
  const own = { ...recordOf(draft), has_parent: false, sublabels }
  return { ...own, ...drawing, project_id, parent_id: null }
}

function recordOf({ id, name, color, type, attributes }: LabelDraft) {
  const numbered = attributes.map((spec) => ({ ...spec, id: spec.id ?? 0 }))
  return { id: id ?? 0, name, color, type, attributes: numbered }
}

const labelsOf = (draft: DraftRow): Label[] => z.array(label).parse(draft.labels)

/**
 * Finds the labels that annotations of tasks of the draft may use; undefined: the stored labels of the project or
 * task.
 */
export async function findDraftLabels(db: Kysely<ProjectsDb>, draft_id: string) {
  const draft = await findDraft(db, draft_id)
  if (!draft || draft.labels_revision === null) return undefined
  return { labels_revision: draft.labels_revision, labels: labelsOf(draft) }
}

/** Writes the labels of a draft into its locked project, whose labels have not changed since they were planned. */
export async function publishLabels(
  tx: Tx,
  row: ProjectRow,
  draft: DraftRow,
  context: CallContext,
): Promise<void> {
  if (draft.labels_revision === draft.based_on) return
  const before = await projectRecord(tx, row)
  const labels = labelsOf(draft)
  await insertReserved(tx, row.id, newRows(before.labels, labels))
  const plan = { labels: labels.map(draftOf), removed_labels: [], removed_attributes: [] }
  await changeProject(tx, row, before, { columns: {}, storages: [], labels: plan }, context)
}

/** Returns the labels and attributes that only the draft has. */
function newRows(before: readonly Label[], after: readonly Label[]): ReservedRows {
  const rowsOf = (all: readonly Label[]) =>
    all.flatMap(({ sublabels, ...label }) => [
      { ...label, parent_id: null },
      ...sublabels.map((part) => ({ ...part, parent_id: label.id })),
    ])
  const known = rowsOf(before)
  const labelIds = new Set(known.map(({ id }) => id))
  const specIds = new Set(known.flatMap(({ attributes }) => attributes.map(({ id }) => id)))
  const rows = rowsOf(after)
  return {
    labels: rows.filter(({ id }) => !labelIds.has(id)),
    attributes: rows.flatMap(({ id: label_id, attributes }) =>
      attributes.filter(({ id }) => !specIds.has(id)).map((spec) => ({ ...spec, label_id })),
    ),
  }
}
