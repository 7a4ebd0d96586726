import { shapeTypes, sources } from '@reticle/contracts/rest/annotations'
import type { LabelSet } from '@reticle/contracts/rest/facts'
import { type AnnotationStatistics, annotationStatistics } from '@reticle/contracts/rest/statistics'
import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'

/** Counts so far. */
export interface StatisticsCounts {
  frames: AnnotationStatistics['frames']
  objects: AnnotationStatistics['objects']
  /** Counts by label, then by `tags`, shape type or `tracks`. */
  labels: Map<number, Map<string, number>>
  sources: Map<string, number>
}

export const newCounts = (): StatisticsCounts => ({
  frames: { total: 0, annotated: 0, deleted: 0 },
  objects: { tags: 0, shapes: 0, tracks: 0, track_keyframes: 0 },
  labels: new Map(),
  sources: new Map(),
})

/** Properties of equal objects; `source` and `type` are positions as in row lines. */
export interface Alike {
  kind: RowKind
  label_id: number
  source: number
  type?: number
}

export function addObjects(
  counts: StatisticsCounts,
  { kind, label_id, source, type }: Alike,
  more: number,
): void {
  counts.objects[arrayOf[kind]] += more
  raise(counts.sources, sources[source] ?? 'manual', more)
  const own = counts.labels.get(label_id) ?? new Map<string, number>()
  counts.labels.set(label_id, own)
  raise(own, kind === 'shape' ? (shapeTypes[type ?? 0] ?? '') : arrayOf[kind], more)
}

const raise = (sums: Map<string, number>, word: string, more: number) =>
  sums.set(word, (sums.get(word) ?? 0) + more)

/** Builds the record. Without a label set it has no counts per label. */
export function statisticsOf(
  { frames, objects, labels, sources: bySource }: StatisticsCounts,
  set: LabelSet | undefined,
  updated_date: Date | undefined,
): AnnotationStatistics {
  const own = set?.labels.filter((one) => !one.has_parent)
  return annotationStatistics.parse({
    frames,
    objects,
    labels: own?.map(({ id, name }) => ({ label_id: id, name, ...sumsOf(words, labels.get(id)) })),
    sources: sumsOf(sources, bySource),
    updated_date: updated_date?.toISOString() ?? null,
  })
}

const words = [arrayOf.tag, ...shapeTypes, arrayOf.track]

const sumsOf = (of: readonly string[], sums: ReadonlyMap<string, number> | undefined) =>
  Object.fromEntries(of.map((word) => [word, sums?.get(word) ?? 0]))
