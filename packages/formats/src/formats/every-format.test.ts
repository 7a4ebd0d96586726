import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type AnnotationKind,
  type DatasetShape,
  type DatasetTag,
  shapeTypes,
} from '../model/dataset.ts'
import { formats } from '../registry.ts'
import {
  expandShapes,
  expectAccount,
  groupsOf,
  isImportedUnchanged,
  isThere,
  outAndIn,
} from '../testing/account.ts'
import { anyGroups, anyShapes, anyTags, anyTracks } from '../testing/any-annotations.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  shapeOf,
  targetOf,
} from '../testing/run.ts'

/**
 * Checks for each kind of annotation that a format does what its registry entry declares. A new format in the
 * registry is tested without further code.
 */

const joint = labelOf({ id: 2, name: 'joint', type: 'points' })
const labels = [
  labelOf({ id: 1, name: 'thing' }),
  labelOf({ id: 3, name: 'body', type: 'skeleton', sublabels: [joint] }),
]
const frames = framesOf(['a.jpg'])
const elements = [shapeOf({ type: 'points', label_id: 2, points: [10, 10] })]
const samples: Record<Exclude<AnnotationKind, 'tag'>, Partial<DatasetShape>> = {
  rectangle: { points: [10, 20, 30, 50] },
  polygon: { points: [10, 10, 40, 10, 40, 40] },
  polyline: { points: [10, 10, 40, 10, 40, 40] },
  points: { points: [10, 10] },
  ellipse: { points: [30, 30, 40, 20] },
  cuboid: { points: [10, 10, 10, 40, 30, 10, 30, 40, 50, 15, 50, 35, 20, 15, 20, 35] },
  mask: { points: [0, 3, 1, 2, 6, 6, 8, 7] },
  skeleton: { label_id: 3, points: [], elements },
}
const tag: DatasetTag = { frame: 0, label_id: 1, group: 0, source: 'file', attributes: [] }

const shapeCases = Object.entries(samples).map(([type, sample]) => {
  const shape = shapeOf({ ...sample, type: type as DatasetShape['type'] })
  return { kind: shape.type as AnnotationKind, given: { shapes: [shape] } }
})
const cases = [...shapeCases, { kind: 'tag' as AnnotationKind, given: { tags: [tag] } }]

const runs = { numRuns: 40 }

describe.each(formats.filter((one) => one.dimension === '2d'))('$name', (format) => {
  const { exporter, importer } = format

  test.each(exporter ? cases : [])('a $kind is exported as declared', async ({ kind, given }) => {
    const { bytes, report } = await exportBytes(exporter, datasetOf(labels, frames, given))
    const said = exporter?.carries[kind]
    expect({ dropped: report.dropped, isConverted: report.converted > 0 }).toEqual({
      dropped: said === 'dropped' ? 1 : 0,
      isConverted: said === 'converted',
    })
    for (const { examples } of report.entries) expect(examples).toMatchObject([{ item: 'a.jpg' }])
    if (said !== 'kept' || !importer?.kinds.includes(kind)) return

    const asIs = { conv_mask_to_poly: false }
    const again = await importBytes(format, bytes, targetOf(labels, frames), asIs)
    const kinds = again.imported.map((one) => (one.kind === 'shape' ? one.shape.type : one.kind))
    expect(kinds).toEqual([kind])
    const sent = 'shapes' in given ? given.shapes.flatMap((shape) => shape.points) : []
    const read = again.shapes.flatMap((shape) => shape.points)
    expect(read).toHaveLength(sent.length)
    for (const [index, value] of read.entries()) expect(value).toBeCloseTo(sent[index] ?? 0, 0)
  })

  const carried = shapeTypes.filter((kind) => exporter?.carries[kind] !== 'dropped')
  // Masks change from frame to frame, and skeletons are tracked by their elements.
  const tracked = carried.filter((kind) => kind !== 'mask' && kind !== 'skeleton')
  const outIf = (kinds: readonly AnnotationKind[]) =>
    exporter && kinds.length > 0 ? [exporter] : []

  test.each(outIf(shapeTypes))('random shapes and tags are kept or reported', async (out) => {
    const all = fc.record({ shapes: anyShapes(shapeTypes), tags: anyTags })
    const account = fc.asyncProperty(all, async (given) => {
      const { found, notes, tags } = await outAndIn(format, given)
      expectAccount(given.shapes, found, notes, format)
      const countOf = (said: string) =>
        given.shapes.filter(({ type }) => out.carries[type] === said).length
      const droppedTags = out.carries.tag === 'dropped' ? given.tags.length : 0
      expect(notes('dropped-shape-type', 'dropped')).toBe(countOf('dropped') + droppedTags)
      expect(notes('any', 'converted')).toBeGreaterThanOrEqual(countOf('converted'))
      if (!importer?.kinds.includes('tag') || out.carries.tag !== 'kept') return
      expect(tags).toMatchObject(given.tags.map(({ attributes: _, ...tag }) => tag))
      const valuesOf = (tag?: DatasetTag) => JSON.stringify(tag?.attributes)
      const lost = given.tags.filter((tag, at) => valuesOf(tag) !== valuesOf(tags[at]))
      expect(notes('dropped-attribute')).toBeGreaterThanOrEqual(lost.length)
    })
    await fc.assert(account, runs)
  })

  test.each(outIf(tracked))('tracks are exported as declared', async (out) => {
    const account = fc.asyncProperty(anyTracks(tracked), async (tracks) => {
      const { found, notes, again } = await outAndIn(format, { tracks })
      const seen = await expandShapes({ tracks })
      expectAccount(seen, found, notes, format)
      const countOf = (shapes: typeof seen) => new Set(shapes.map(({ track_id }) => track_id)).size
      const [all, kept] = [seen, seen.filter((one) => isImportedUnchanged(one, format))].map(
        countOf,
      )
      const isKeeping = out.features.tracks === 'kept'
      if (!isKeeping) expect(notes('any')).toBeGreaterThanOrEqual(all ?? 0)
      if (!again) return
      expect(again.tracks.length).toBeGreaterThanOrEqual((isKeeping && kept) || 0)
      expect(again.tracks.length).toBeLessThanOrEqual((isKeeping && all) || 0)
    })
    await fc.assert(account, runs)
  })

  test.each(outIf(carried))('groups are exported as declared', async (out) => {
    const account = fc.asyncProperty(anyGroups(carried), async (shapes) => {
      const { found, notes } = await outAndIn(format, { shapes })
      const said = out.features.group
      if (said !== 'converted') expectAccount(shapes, found, notes, format)
      if (said === 'dropped')
        expect(notes('dropped-attribute')).toBeGreaterThanOrEqual(found.length)
      if (!importer) return
      if (said === 'kept') expect(groupsOf(found)).toEqual(groupsOf(shapes))
      // A group with changed members is reported at least once.
      const changed = shapes.filter((one) => !isThere(one, found, format))
      const groups = new Set(changed.map(({ group }) => group))
      expect(notes('any')).toBeGreaterThanOrEqual(groups.size)
    })
    await fc.assert(account, runs)
  })

  const option = importer?.options.find(({ name }) => name === 'conv_mask_to_poly')
  const choices = option && exporter ? [option] : []
  test.each(choices)('masks become polygons only with $name', async ({ default: usual }) => {
    const shapes = [shapeOf({ ...samples.mask, type: 'mask' })]
    const { bytes } = await exportBytes(exporter, datasetOf(labels, frames, { shapes }))
    const typeOf = async (conv_mask_to_poly?: boolean) => {
      const again = await importBytes(format, bytes, targetOf(labels, frames), {
        conv_mask_to_poly,
      })
      return again.shapes.map(({ type }) => type)
    }
    expect(await typeOf(true)).toEqual(['polygon'])
    expect(await typeOf(false)).toEqual(['mask'])
    expect(await typeOf()).toEqual([usual ? 'polygon' : 'mask'])
  })
})
