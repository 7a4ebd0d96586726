/** What became of annotations that went out and came in again, held against what their format says of itself. */
import { expect } from 'vitest'
import type { Feature, Format, ItemShape, Shape, Tag, Track } from '../model.ts'
import type { ReportEntry } from '../report.ts'
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

/** How many notes there are of a code and a kind, in the reports of both ways. */
export type Told = (code: ReportEntry['code'] | 'any', kind?: ReportEntry['kind']) => number

export interface OutAndIn {
  again: ImportResult | undefined
  told: Told
  tags: readonly Tag[]
  /** With what tracks show on their frames. */
  found: readonly ItemShape[]
}

/** Out, and in again as far as there is a way in. */
export async function outAndIn(
  format: Format,
  given: Parameters<typeof datasetOf>[2],
): Promise<OutAndIn> {
  const { bytes, report } = await exportBytes(format.exporter, datasetOf(labels, frames, given))
  const asMasks = { conv_mask_to_poly: false }
  const again =
    format.importer && (await importBytes(format, bytes, targetOf(labels, frames), asMasks))
  const entries = [report, again?.report].flatMap((one) => one?.entries ?? [])
  const told: Told = (code, kind) =>
    entries
      .filter((one) => (code === 'any' || one.code === code) && (!kind || one.kind === kind))
      .reduce((sum, { count }) => sum + count, 0)
  const tags: Tag[] = again?.imported.flatMap((one) => (one.kind === 'tag' ? one.tag : [])) ?? []
  return { again, told, tags, found: again ? await expanded(again) : [] }
}

/** All shapes by frame, those that tracks show as well. */
export async function expanded({
  shapes = [],
  tracks = [],
}: {
  shapes?: readonly Shape[]
  tracks?: readonly Track[]
}): Promise<ItemShape[]> {
  const byFrame = <T extends { frame: number }>(all: readonly T[]) =>
    all.toSorted((a, b) => a.frame - b.frame)
  const part = partOf(frames, { shapes: byFrame(shapes), tracks: byFrame(tracks) })
  const seen: ItemShape[] = []
  for await (const item of part.items(true)) seen.push(...item.shapes)
  return seen
}

/** Is it to come back as it is? */
export function isKept({ type, rotation }: Shape, { exporter, importer }: Format): boolean {
  const isTurned = rotation !== 0 && exporter?.features.rotation === 'converted'
  return exporter?.carries[type] === 'kept' && importer?.kinds.includes(type) === true && !isTurned
}

/**
 * What is kept has to be there, what is converted to have become something, what is dropped not to be there; nothing else may be there.
 * Features that are lost have to be told of.
 */
export function expectAccount(
  given: readonly ItemShape[],
  found: readonly ItemShape[],
  told: Told,
  format: Format,
): void {
  const cells = new Set(given.map(cellOf))
  expect(found.filter((one) => !cells.has(cellOf(one)))).toEqual([])
  const carried = given.filter(({ type }) => format.exporter?.carries[type] !== 'dropped')
  const there = carried.filter((one) => !isGoneTurned(one, found, format))
  for (const one of format.importer ? given : []) {
    const here = found.filter((other) => cellOf(other) === cellOf(one))
    if (isGoneTurned(one, here, format)) continue
    if (format.exporter?.carries[one.type] === 'dropped') expect(here).toEqual([])
    else expect([...new Set(here.map(({ label_id }) => label_id))]).toEqual([one.label_id])
    if (!isKept(one, format)) continue
    expect(here.map(({ type }) => type)).toEqual([one.type])
    for (const other of here) expect(distance(one, other)).toBeLessThanOrEqual(tolerance)
  }
  for (const { code, values } of lossesTold) {
    const lost = values.flatMap((feature) =>
      lossesOf(feature, feature === 'rotation' ? carried : there, found, format),
    )
    expect(told(code), code).toBeGreaterThanOrEqual(lost.length)
  }
}

/** Where angles are dropped, turned shapes may be as a whole. */
const isGoneTurned = (given: Shape, found: readonly Shape[], { exporter }: Format): boolean =>
  given.rotation !== 0 &&
  exporter?.features.rotation === 'dropped' &&
  !found.some((one) => cellOf(one) === cellOf(given))

/** Is the shape there as it was, by all that the format keeps? What members of a group became may lie over it. */
export const isThere = (given: Shape, found: readonly ItemShape[], format: Format): boolean =>
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

/** Which cells belong together. */
export function groupsOf(shapes: readonly Shape[]): string[] {
  const groups = new Map<number, string[]>()
  for (const shape of shapes)
    groups.set(shape.group, [...(groups.get(shape.group) ?? []), cellOf(shape)])
  return [...groups.values()].map((cells) => cells.toSorted().join(' and ')).toSorted()
}

/** Pixels: the largest of spec/formats.md 19.2. */
const tolerance = 0.011

/** Pixels between two shapes, at most; infinite for shapes of several numbers of points. */
function distance(a: Shape, b: Shape): number {
  const [one, other] = [a, b].map(({ points, elements }) => [
    ...points,
    ...elements.flatMap((element) => element.points),
  ])
  if (!one || !other || one.length !== other.length) return Number.POSITIVE_INFINITY
  return Math.max(0, ...one.map((value, at) => Math.abs(value - (other[at] ?? 0))))
}

type Value = Exclude<Feature, 'tracks' | 'group'>

const readers: Readonly<Record<Value, (shape: Shape) => unknown>> = {
  rotation: ({ rotation }) => rotation,
  occluded: ({ occluded }) => occluded,
  z_order: ({ z_order }) => z_order,
  score: ({ score }) => score,
  attributes: ({ attributes }) => attributes.toSorted((a, b) => a.spec_id - b.spec_id),
}

const isAlike = (feature: Value, a: Shape, b: Shape): boolean =>
  JSON.stringify(readers[feature](a)) === JSON.stringify(readers[feature](b))

const usual = shapeOf({})

const allValues = ['rotation', 'occluded', 'z_order', 'score', 'attributes'] as const

const lossesTold = [
  { code: 'unsupported-rotation', values: ['rotation'] },
  { code: 'dropped-attribute', values: allValues.slice(1) },
] as const

/**
 * What lost a feature, a shape or all of a track: where the feature is dropped what has it, where it is kept what comes back with another
 * value.
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
    return said === 'kept' && here && isKept(one, format) && !isAlike(feature, one, here)
  })
  return [
    ...new Set(
      lost.map((one) => (one.track_id === undefined ? cellOf(one) : `track ${one.track_id}`)),
    ),
  ]
}
