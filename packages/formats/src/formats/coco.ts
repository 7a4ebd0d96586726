/** COCO 1.0: the instances format of the COCO dataset. */

import { convMaskToPoly } from '../masks/as-polygons.ts'
import type { Format } from '../model/dataset.ts'
import { declaredCocoImages, openCocoDataset } from './coco/dataset.ts'
import { exportCoco } from './coco/export.ts'
import { importCoco } from './coco/import.ts'
import { carries, features } from './coco/instances.ts'

export const coco: Format = {
  name: 'COCO 1.0',
  version: '1.0',
  aliases: [],
  dimension: '2d',
  tracks: true,
  attributes: true,
  exporter: {
    extensions: ['ZIP'],
    options: [],
    carries,
    features,
    exportDataset: exportCoco,
  },
  importer: {
    extensions: ['JSON', 'ZIP'],
    options: [convMaskToPoly(false)],
    kinds: ['rectangle', 'polygon', 'mask'],
    importAnnotations: importCoco,
    openDataset: openCocoDataset,
    declaredImages: declaredCocoImages,
  },
}
