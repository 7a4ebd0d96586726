import type { Label } from '@reticle/contracts/rest/labels'
import type { RowKind } from '@reticle/contracts/row-lines'
import { unavailable } from '@reticle/kit'

interface Labelled {
  frame: number
  label_id: number
  elements?: readonly Labelled[]
}

/** Throws for an object whose label is unknown. */
export type AssertLabel = (kind: RowKind, object: Labelled) => void

/**
 * Creates a check of objects against the labels that an export has read. Without it, an exporter would leave out or
 * drop an object of an unknown label.
 *
 * @throws DomainError unavailable: the labels changed between the two reads, and a retry reads both again
 */
export function createLabelCheck(labels: readonly Label[]): AssertLabel {
  const known = new Set(
    labels.flatMap(({ id, sublabels }) => [id, ...sublabels.map((one) => one.id)]),
  )
  const assertLabel: AssertLabel = (kind, { frame, label_id, elements = [] }) => {
    if (!known.has(label_id))
      throw unavailable(
        `A ${kind} on frame ${frame} has the label #${label_id}, which is not among the labels of its task or project. The labels were changed meanwhile: export again.`,
      )
    for (const element of elements) assertLabel(kind, element)
  }
  return assertLabel
}
