import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatasetShape, DatasetShapeType } from '@reticle/formats/model/dataset'
import { formats } from '@reticle/formats/registry'
import { datasetOf, exportBytes, framesOf, labelOf, shapeOf } from '@reticle/formats/testing/run'
import sharp from 'sharp'

/**
 * Writes an archive of each export format to a folder, and `facts.json` with their expected contents. All archives have
 * the same shapes, as far as their format can represent them.
 */
const [, , folder = '.'] = process.argv

const labels = [labelOf({ id: 3, name: 'car' }), labelOf({ id: 8, name: 'road' })]
const size = { width: 100, height: 80 }
const picture = await sharp({ create: { ...size, channels: 3, background: 'teal' } })
  .png()
  .toBuffer()
/** named like frames of sequences */
const frames = framesOf(['000001.png', '000002.png', '000003.png'], size.width, size.height).map(
  (frame) => ({
    ...frame,
    image: async function* () {
      yield picture
    },
  }),
)

const drawn: [type: DatasetShapeType, frame: number, label_id: number, points: number[]][] = [
  ['rectangle', 0, 3, [10, 20, 30.5, 50.25]],
  ['rectangle', 0, 8, [50, 40, 100, 80]],
  ['rectangle', 2, 3, [0, 0, 100, 80]],
  ['polygon', 0, 8, [60, 10, 90, 10, 90, 30.5, 75, 35.25]],
  ['polygon', 2, 3, [10, 10, 40, 10, 40, 40]],
  ['mask', 1, 3, [0, 3, 1, 2, 1, 2, 6, 6, 8, 8]],
  ['mask', 1, 8, [0, 400, 20, 30, 39, 49]],
  ['polyline', 1, 8, [10, 10, 40, 10, 40, 70.5]],
  ['points', 2, 8, [70, 20]],
]
const shapes = drawn.map(([type, frame, label_id, points]) =>
  shapeOf({ type, frame, label_id, points }),
)

const facts = []
for (const { name, exporter } of formats) {
  if (!exporter) continue
  const kept = shapes
    .filter(({ type }) => exporter.carries[type] === 'kept')
    .toSorted((a, b) => a.frame - b.frame)
  const dataset = datasetOf(labels, frames, { shapes: kept }, { saveImages: true })
  const { bytes } = await exportBytes(exporter, dataset)
  const archive = `${name.replaceAll(' ', '_')}.zip`
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, archive), bytes)
  facts.push({ name, archive, shapes: kept.map(factOf) })
}
const paths = frames.map(({ path }) => path)
writeFileSync(join(folder, 'facts.json'), JSON.stringify({ frames: paths, formats: facts }))

function factOf({ type, frame, label_id, points }: DatasetShape) {
  const label = labels.find(({ id }) => id === label_id)?.name
  return { type, frame, label, points }
}
