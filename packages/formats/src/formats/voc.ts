/** Pascal VOC 1.1: boxes in XML, masks in images, tags in lists. */

import { convMaskToPoly } from '../masks/as-polygons.ts'
import type { Format } from '../model/dataset.ts'
import { declaredVocImages, openVocDataset } from './voc/dataset.ts'
import { carries, exportVoc, features } from './voc/export.ts'
import { importVoc } from './voc/import.ts'

export const voc: Format = {
  name: 'Pascal VOC 1.1',
  version: '1.1',
  aliases: [],
  dimension: '2d',
  tracks: true,
  attributes: true,
  exporter: {
    extensions: ['ZIP'],
    options: [],
    carries,
    features,
    exportDataset: exportVoc,
  },
  importer: {
    extensions: ['ZIP'],
    options: [convMaskToPoly(true)],
    kinds: ['rectangle', 'mask', 'tag'],
    importAnnotations: importVoc,
    openDataset: openVocDataset,
    declaredImages: declaredVocImages,
  },
}
