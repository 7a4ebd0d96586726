import type { Label as RestLabel, Sublabel } from '@reticle/contracts/rest/labels'
import type { DatasetLabel } from '@reticle/formats/model/dataset'

/** Converts labels to the form that formats use, ascending by id. */
export function formatLabels(labels: readonly RestLabel[]): DatasetLabel[] {
  const known = labels.map((label) => ({ ...label, sublabels: label.sublabels.map(withoutParts) }))
  return known.sort((a, b) => a.id - b.id)
}

const withoutParts = (sublabel: Sublabel): DatasetLabel => ({ ...sublabel, sublabels: [] })
