/** The small Pascal VOC dataset that its tests share: two frames, and documents of objects. */
import { voc } from '../formats/voc.ts'
import type { ConversionRun } from '../model/dataset.ts'
import { car, createSpec, labels, twoFrames } from './coco.ts'
import { datasetOf, exportBytes, importBytes, labelOf, targetOf, zipOf } from './run.ts'

export { car, createSpec, labels, twoFrames }

/** Builds an object of a document, by default a box with the label `road`. */
export function objectText({ name = 'road', box = [1, 2, 11, 22], more = '' } = {}): string {
  const [xmin, ymin, xmax, ymax] = box
  return `<object><name>${name}</name>${more}<bndbox><xmin>${xmin}</xmin><ymin>${ymin}</ymin><xmax>${xmax}</xmax><ymax>${ymax}</ymax></bndbox></object>`
}

export const attributesText = (values: Record<string, string>): string =>
  `<attributes>${Object.entries(values)
    .map(([name, value]) => `<attribute><name>${name}</name><value>${value}</value></attribute>`)
    .join('')}</attributes>`

export const documentText = (...objects: string[]): string =>
  `<annotation>\n${objects.join('\n')}\n</annotation>`

/** Imports an archive of documents and lists into the two frames. */
export async function importVocFiles(
  files: Record<string, string | Uint8Array>,
  options: Pick<ConversionRun, 'conv_mask_to_poly'> = {},
) {
  return importBytes(voc, await zipOf(files), targetOf(labels, twoFrames()), options)
}

export function exportVocStreams(streams: Parameters<typeof datasetOf>[2], known = labels) {
  return exportBytes(voc.exporter, datasetOf(known, twoFrames(), streams))
}

/** A label with attributes for the fields that every object has. */
export const ship = labelOf({
  id: 42,
  name: 'ship',
  attributes: [
    createSpec({ id: 5, name: 'truncated', input_type: 'checkbox' }),
    createSpec({ id: 6, name: 'difficult', input_type: 'number', default_value: '0' }),
    createSpec({ id: 7, name: 'pose', default_value: 'Unspecified' }),
    createSpec({ id: 8, name: 'sailing', input_type: 'checkbox' }),
  ],
})
