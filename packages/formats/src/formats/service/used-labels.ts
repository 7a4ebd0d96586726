/** Collects labels of a dataset: declared ones, and those that only annotations use. */
import {
  createLabelCollector,
  type FileLabel,
  type LabelCollector,
} from '../../model/file-labels.ts'

/** A label that annotations use. */
export interface UsedLabel {
  /** Returns whether an attribute occurs only in annotations. */
  isUndeclared(attribute: string): boolean
  note(attribute: string, text: string, isOfTrack: boolean): void
  beSkeleton(): void
  /** Returns an element; the label becomes a skeleton. */
  part(name: string): UsedLabel
}

export interface UsedLabels {
  find(name: string): UsedLabel
  /** Adds declared labels, which are then not derived from annotations. */
  declare(labels: readonly FileLabel[]): void
  read(): FileLabel[]
}

/**
 * Creates a collector.
 * @param onNew Called for every new label and attribute.
 */
export function usedLabels(onNew: () => void): UsedLabels {
  const collector = createLabelCollector()
  const known = new Map<string, Used>()
  const declared = new Map<string, FileLabel>()
  return {
    find(name) {
      const found = known.get(name)
      if (found) return found
      onNew()
      if (name !== '') collector.add(name)
      const added = newUsed(name, { collector, onNew, declared: declared.get(name) })
      known.set(name, added)
      return added
    },
    declare(labels) {
      for (const label of labels) declared.set(label.name, label)
    },
    read: () =>
      collector.read().map((label) => {
        const parts = known.get(label.name)?.parts?.read()
        if (!parts) return label
        const sublabels = parts.map((part) => ({ ...part, type: 'points' as const }))
        return { ...label, type: 'skeleton', sublabels }
      }),
  }
}

interface Used extends UsedLabel {
  /** Only for skeletons. */
  parts?: UsedLabels
}

interface Where {
  collector: LabelCollector
  onNew: () => void
  declared: FileLabel | undefined
}

function newUsed(name: string, { collector, onNew, declared }: Where): Used {
  const attributes = new Set(declared?.attributes.map((attribute) => attribute.name))
  const noted = new Set<string>()
  const skeleton = (): UsedLabels => {
    if (used.parts) return used.parts
    used.parts = usedLabels(onNew)
    used.parts.declare(declared?.sublabels ?? [])
    return used.parts
  }
  const used: Used = {
    isUndeclared: (attribute) => !attributes.has(attribute),
    note(attribute, text, isOfTrack) {
      if (!noted.has(attribute)) onNew()
      noted.add(attribute)
      collector.note(name, attribute, text, isOfTrack)
    },
    beSkeleton: () => void skeleton(),
    part: (part) => skeleton().find(part),
  }
  return used
}

/** Adds labels and attributes of `others` that `labels` lacks; existing ones take precedence. */
export function mergedLabels(
  labels: readonly FileLabel[],
  others: readonly FileLabel[],
): FileLabel[] {
  return merged(labels, others, (label, other) => {
    const { sublabels = [], type } = label
    const attributes = merged(label.attributes, other.attributes, (attribute) => attribute)
    const isSkeleton = type === 'skeleton' || other.type === 'skeleton'
    if (!isSkeleton) return { ...label, attributes }
    const parts = mergedLabels(sublabels, other.sublabels ?? [])
    return { ...label, attributes, type: 'skeleton', sublabels: parts }
  })
}

function merged<T extends { name: string }>(
  list: readonly T[],
  others: readonly T[],
  both: (one: T, other: T) => T,
): T[] {
  const all = new Map(list.map((one) => [one.name, one]))
  for (const other of others) {
    const known = all.get(other.name)
    all.set(other.name, known ? both(known, other) : other)
  }
  return [...all.values()]
}
