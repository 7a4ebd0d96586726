/** Compares annotations after an export and import with what their format declares. */
import { expect } from 'vitest'
import type {
  DatasetShape,
  DatasetTag,
  DatasetTrack,
  Feature,
  Format,
  ItemShape,
} from '../model/dataset.ts'
import type { ReportEntry } from '../report/conversion-report.ts'
import { cellOf, frames, labels } from './any-annotations.ts'
import {
  datasetOf,
  exportBytes,
  type ImportResult,
  importBytes,
  partOf,
  shapeOf,
  targetOf,
} from './run.ts'

/** Returns the number of notes with a code and kind, in the reports of export and import. */
export type CountEntries = (code: ReportEntry['code'] | 'any', kind?: ReportEntry['kind']) => number

export interface OutAndIn {
  again: ImportResult | undefined
  notes: CountEntries
  tags: readonly DatasetTag[]
  /** Includes the visible shapes of tracks. */
  found: readonly ItemShape[]
}

/** Exports annotations, and imports them again if the format has an importer. */
export async function outAndIn(
  format: Format,
  given: Parameters<typeof datasetOf>[2],
): Promise<OutAndIn> {
  const { bytes, report } = await exportBytes(format.exporter, datasetOf(labels, frames, given))
  const asMasks = { conv_mask_to_poly: false }
  const again =
    format.importer && (await importBytes(format, bytes, targetOf(labels, frames), asMasks))
  const entries = [report, again?.report].flatMap((one) => one?.entries ?? [])
  const notes: CountEntries = (code, kind) =>
    entries
      .filter((one) => (code === 'any' || one.code === code) && (!kind || one.kind === kind))
      .reduce((sum, { count }) => sum + count, 0)
  const tags: DatasetTag[] =
    again?.imported.flatMap((one) => (one.kind === 'tag' ? one.tag : [])) ?? []
  return { again, notes, tags, found: again ? await expandShapes(again) : [] }
}

/** Returns all shapes by frame, including the visible shapes of tracks. */
export async function expandShapes({
  shapes = [],
  tracks = [],
}: {
  shapes?: readonly DatasetShape[]
  tracks?: readonly DatasetTrack[]
}): Promise<ItemShape[]> {
  const byFrame = <T extends { frame: number }>(all: readonly T[]) =>
    all.toSorted((a, b) => a.frame - b.frame)
  const part = partOf(frames, { shapes: byFrame(shapes), tracks: byFrame(tracks) })
  const seen: ItemShape[] = []
  for await (const item of part.items(true)) seen.push(...item.shapes)
  return seen
}

/** Returns whether a shape must be imported unchanged. */
export function isImportedUnchanged(
  { type, rotation }: DatasetShape,
  { exporter, importer }: Format,
): boolean {
  const isTurned = rotation !== 0 && exporter?.features.rotation === 'converted'
  return exporter?.carries[type] === 'kept' && importer?.kinds.includes(type) === true && !isTurned
}

/**
 * Checks that kept shapes exist, converted ones became something, dropped ones do not exist, and nothing else exists.
 * Lost features must be reported.
 */
export function expectAccount(
  given: readonly ItemShape[],
  found: readonly ItemShape[],
  notes: CountEntries,
  format: Format,
): void {
  const cells = new Set(given.map(cellOf))
  expect(found.filter((one) => !cells.has(cellOf(one)))).toEqual([])
  const carried = given.filter(({ type }) => format.exporter?.carries[type] !== 'dropped')
  const there = carried.filter((one) => !isDroppedByRotation(one, found, format))
  for (const one of format.importer ? given : []) {
    const here = found.filter((other) => cellOf(other) === cellOf(one))
    if (isDroppedByRotation(one, here, format)) continue
    if (format.exporter?.carries[one.type] === 'dropped') expect(here).toEqual([])
    else expect([...new Set(here.map(({ label_id }) => label_id))]).toEqual([one.label_id])
    if (!isImportedUnchanged(one, format)) continue
    expect(here.map(({ type }) => type)).toEqual([one.type])
    for (const other of here) expect(distance(one, other)).toBeLessThanOrEqual(tolerance)
  }
  for (const { code, values } of reportedLosses) {
    const lost = values.flatMap((feature) =>
      lossesOf(feature, feature === 'rotation' ? carried : there, found, format),
    )
    expect(notes(code), code).toBeGreaterThanOrEqual(lost.length)
  }
}

/** Returns whether a rotated shape is missing in a format that drops rotations, which may drop the whole shape. */
const isDroppedByRotation = (
  given: DatasetShape,
  found: readonly DatasetShape[],
  { exporter }: Format,
): boolean =>
  given.rotation !== 0 &&
  exporter?.features.rotation === 'dropped' &&
  !found.some((one) => cellOf(one) === cellOf(given))

/**
 * Returns whether a shape exists unchanged in everything that the format keeps. It may be covered by other members of
 * its group.
 */
export const isThere = (
  given: DatasetShape,
  found: readonly ItemShape[],
  format: Format,
): boolean =>
  found.some(
    (here) =>
      cellOf(here) === cellOf(given) &&
      here.type === given.type &&
      here.label_id === given.label_id &&
      distance(here, given) <= tolerance &&
      allValues.every(
        (one) => format.exporter?.features[one] !== 'kept' || isAlike(one, here, given),
      ),
  )

/** Returns the cells of each group. */
export function groupsOf(shapes: readonly DatasetShape[]): string[] {
  const groups = new Map<number, string[]>()
  for (const shape of shapes)
    groups.set(shape.group, [...(groups.get(shape.group) ?? []), cellOf(shape)])
  return [...groups.values()].map((cells) => cells.toSorted().join(' and ')).toSorted()
}

/** Maximum distance in pixels. */
const tolerance = 0.011

/** Returns the largest distance of coordinates in pixels; infinite for different numbers of points. */
function distance(a: DatasetShape, b: DatasetShape): number {
  const [one, other] = [a, b].map(({ points, elements }) => [
    ...points,
    ...elements.flatMap((element) => element.points),
  ])
  if (!one || !other || one.length !== other.length) return Number.POSITIVE_INFINITY
  return Math.max(0, ...one.map((value, at) => Math.abs(value - (other[at] ?? 0))))
}

type Value = Exclude<Feature, 'tracks' | 'group'>

const readers: Readonly<Record<Value, (shape: DatasetShape) => unknown>> = {
  rotation: ({ rotation }) => rotation,
  occluded: ({ occluded }) => occluded,
  z_order: ({ z_order }) => z_order,
  score: ({ score }) => score,
  attributes: ({ attributes }) => attributes.toSorted((a, b) => a.spec_id - b.spec_id),
}

const isAlike = (feature: Value, a: DatasetShape, b: DatasetShape): boolean =>
  JSON.stringify(readers[feature](a)) === JSON.stringify(readers[feature](b))

const usual = shapeOf({})

const allValues = ['rotation', 'occluded', 'z_order', 'score', 'attributes'] as const

const reportedLosses = [
  { code: 'unsupported-rotation', values: ['rotation'] },
  { code: 'dropped-attribute', values: allValues.slice(1) },
] as const

/**
 * Returns losses per shape or track: for a dropped feature each object that has it, for a kept feature each object
 * with a changed value.
 */
function lossesOf(
  feature: Value,
  given: readonly ItemShape[],
  found: readonly ItemShape[],
  format: Format,
): string[] {
  const said = format.exporter?.features[feature]
  const lost = given.filter((one) => {
    if (said === 'dropped') return !isAlike(feature, one, usual)
    const here = found.find((other) => cellOf(other) === cellOf(one))
    return (
      said === 'kept' && here && isImportedUnchanged(one, format) && !isAlike(feature, one, here)
    )
  })
  return [
    ...new Set(
      lost.map((one) => (one.track_id === undefined ? cellOf(one) : `track ${one.track_id}`)),
    ),
  ]
}
