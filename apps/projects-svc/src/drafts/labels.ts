import { type Label, type LabelWrite, label } from '@reticle/contracts/rest/labels'
import type { Context } from '@reticle/kit'
import type { Transaction } from 'kysely'
import { z } from 'zod'
import type { ProjectRow, ProjectsDb } from '../db/schema.ts'
import { draftOf, type LabelDraft } from '../labels/draft.ts'
import { planLabels } from '../labels/plan.ts'
import { changeProject } from '../projects/change.ts'
import { projectRecord } from '../projects/records.ts'
import { type DraftRow, insertReserved, reserveIds } from './repo.ts'

type Tx = Transaction<ProjectsDb>

/**
 * The labels of a project with others and with more attributes, as records: annotations can name what nobody else sees yet.
 *
 * @throws DomainError invalid for what a PATCH of the project would be refused for
 */
export async function planned(
  tx: Tx,
  project_id: number,
  current: readonly Label[],
  items: readonly LabelWrite[],
): Promise<Label[]> {
  const { labels } = planLabels(current, items)
  const added = labels.filter(({ id }) => id === null)
  const ids = await reserveIds(tx, 'labels', added.length)
  const specs = labels.flatMap(({ attributes }) => attributes).filter(({ id }) => id === null)
  const specIds = await reserveIds(tx, 'attributes', specs.length)
  const known = new Map(current.map((one) => [one.id, one]))
  const attributesOf = ({ attributes }: LabelDraft) =>
    attributes.map((spec) => ({ ...spec, id: spec.id ?? specIds.shift() ?? 0 }))
  return labels.map((draft) => {
    const { name, color, type } = draft
    const before = known.get(draft.id ?? 0)
    if (before) return { ...before, attributes: attributesOf(draft) }
    const own = { id: ids.shift() ?? 0, name, color, type, attributes: attributesOf(draft) }
    return { ...own, has_parent: false, sublabels: [], project_id, parent_id: null }
  })
}

const labelsOf = (draft: DraftRow): Label[] => z.array(label).parse(draft.labels)

/** Labels that annotations of tasks of the draft may use; undefined: those that project and tasks have. */
export const labelSetOf = (draft: DraftRow) =>
  draft.labels_revision === null
    ? undefined
    : { labels_revision: draft.labels_revision, labels: labelsOf(draft) }

/** Makes the labels of a locked project, which are as they were when those were planned, what the draft says. */
export async function publishLabels(
  tx: Tx,
  row: ProjectRow,
  draft: DraftRow,
  context: Context,
): Promise<void> {
  if (draft.labels_revision === draft.based_on) return
  const before = await projectRecord(tx, row)
  const labels = labelsOf(draft)
  const known = new Set(before.labels.flatMap((one) => one.attributes.map(({ id }) => id)))
  const knownLabels = new Set(before.labels.map(({ id }) => id))
  await insertReserved(
    tx,
    row.id,
    labels.filter(({ id }) => !knownLabels.has(id)),
    labels.flatMap(({ id: label_id, attributes }) =>
      attributes.filter(({ id }) => !known.has(id)).map((spec) => ({ ...spec, label_id })),
    ),
  )
  const plan = { labels: labels.map(draftOf), removed_labels: [], removed_attributes: [] }
  await changeProject(tx, row, before, { columns: {}, storages: [], labels: plan }, context)
}
