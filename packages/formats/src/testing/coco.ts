/** The small COCO project that COCO tests share: two frames, a car with attributes and a road. */
import { coco } from '../formats/coco.ts'
import type { AttributeSpec, DatasetLabel, DatasetShape, ItemFrame } from '../model/dataset.ts'
import { datasetOf, exportBytes, framesOf, importBytes, labelOf, targetOf } from './run.ts'

const color = createSpec({ id: 1, name: 'color', input_type: 'select', default_value: 'red' })
const doors = createSpec({ id: 2, name: 'doors', input_type: 'number', default_value: '4' })
const parked = createSpec({ id: 3, name: 'parked', input_type: 'checkbox', mutable: true })
export const car = labelOf({ id: 40, name: 'car', attributes: [color, doors, parked] })
const road = labelOf({ id: 41, name: 'road' })
export const labels = [car, road]

export function createSpec(
  given: Partial<AttributeSpec> & { id: number; name: string },
): AttributeSpec {
  return { mutable: false, input_type: 'text', values: [], default_value: 'false', ...given }
}

interface Document {
  images: object[]
  categories: object[]
  annotations: object[]
}

/** A document over two frames; annotations default to the label `road` on the first frame. */
export function documentOf(annotations: object[]): Document {
  return {
    images: [
      { id: 1, file_name: 'a.jpg' },
      { id: 2, file_name: 'images/b/c.jpg' },
    ],
    categories: [
      { id: 1, name: 'car' },
      { id: 2, name: 'road' },
    ],
    annotations: annotations.map((one, index) => ({
      id: index + 1,
      image_id: 1,
      category_id: 2,
      ...one,
    })),
  }
}

export function twoFrames(): ItemFrame[] {
  return framesOf(['a.jpg', 'b/c.jpg'])
}

export function importText(text: string | Uint8Array) {
  return importBytes(coco, text, targetOf(labels, twoFrames()))
}

export function importCocoDocument(document: object) {
  return importText(JSON.stringify(document))
}

export function importAnnotations(annotations: object[]) {
  return importCocoDocument(documentOf(annotations))
}

export function exportCocoStreams(
  streams: Parameters<typeof datasetOf>[2],
  known: DatasetLabel[] = labels,
) {
  return exportBytes(coco.exporter, datasetOf(known, twoFrames(), streams))
}

/** Returns the annotations of an export as objects. */
export async function readExported(shapes: DatasetShape[], known: DatasetLabel[] = labels) {
  const { files } = await exportCocoStreams({ shapes }, known)
  const document: { annotations: Record<string, unknown>[] } = JSON.parse(
    files['annotations/instances_default.json'] ?? '',
  )
  return document.annotations
}
