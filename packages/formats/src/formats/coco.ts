/** COCO 1.0: the instances format of the COCO dataset. */

import { openCocoDataset } from '../coco/dataset.ts'
import { declaredCocoImages } from '../coco/declared-images.ts'
import { exportCoco } from '../coco/export.ts'
import { importCoco } from '../coco/import.ts'
import { carries, features } from '../coco/instances.ts'
import { convMaskToPoly } from '../masks.ts'
import type { Format } from '../model.ts'

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
