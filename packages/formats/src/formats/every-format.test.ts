import { describe, expect, test } from 'vitest'
import type { Kind, Shape, Tag } from '../model.ts'
import { formats } from '../registry.ts'
import {
  datasetOf,
  exportBytes,
  framesOf,
  importBytes,
  labelOf,
  shapeOf,
  targetOf,
} from '../testing/run.ts'

/** What a format says of itself is what it does, kind by kind: a line of the registry is all it takes to be tried here. */

const joint = labelOf({ id: 2, name: 'joint', type: 'points' })
const labels = [
  labelOf({ id: 1, name: 'thing' }),
  labelOf({ id: 3, name: 'body', type: 'skeleton', sublabels: [joint] }),
]
const frames = framesOf(['a.jpg'])
const elements = [shapeOf({ type: 'points', label_id: 2, points: [10, 10] })]
const samples: Record<Exclude<Kind, 'tag'>, Partial<Shape>> = {
  rectangle: { points: [10, 20, 30, 50] },
  polygon: { points: [10, 10, 40, 10, 40, 40] },
  polyline: { points: [10, 10, 40, 10, 40, 40] },
  points: { points: [10, 10] },
  ellipse: { points: [30, 30, 40, 20] },
  cuboid: { points: [10, 10, 10, 40, 30, 10, 30, 40, 50, 15, 50, 35, 20, 15, 20, 35] },
  mask: { points: [0, 3, 1, 2, 6, 6, 8, 7] },
  skeleton: { label_id: 3, points: [], elements },
}
const tag: Tag = { frame: 0, label_id: 1, group: 0, source: 'file', attributes: [] }

const shapeCases = Object.entries(samples).map(([type, sample]) => {
  const shape = shapeOf({ ...sample, type: type as Shape['type'] })
  return { kind: shape.type as Kind, given: { shapes: [shape] } }
})
const cases = [...shapeCases, { kind: 'tag' as Kind, given: { tags: [tag] } }]

describe.each(formats.filter((one) => one.dimension === '2d'))('$name', (format) => {
  const { exporter, importer } = format

  test.each(exporter ? cases : [])('does with a $kind what it says', async ({ kind, given }) => {
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

  const option = importer?.options.find(({ name }) => name === 'conv_mask_to_poly')
  const choices = option && exporter ? [option] : []
  test.each(choices)('turns masks into polygons as $name says', async ({ default: usual }) => {
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
