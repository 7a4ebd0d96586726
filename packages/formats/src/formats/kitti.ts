/** KITTI 1.0: boxes and masks. */

import { convMaskToPoly } from '../masks/as-polygons.ts'
import type { Format } from '../model/dataset.ts'
import { openKittiDataset } from './kitti/dataset.ts'
import { carries, exportKitti, features } from './kitti/export.ts'
import { importKitti } from './kitti/import.ts'

export const kitti: Format = {
  name: 'KITTI 1.0',
  version: '1.0',
  aliases: [],
  dimension: '2d',
  tracks: false,
  attributes: false,
  exporter: { extensions: ['ZIP'], options: [], carries, features, exportDataset: exportKitti },
  importer: {
    extensions: ['ZIP'],
    options: [convMaskToPoly(true)],
    kinds: ['rectangle', 'polygon', 'mask'],
    importAnnotations: importKitti,
    openDataset: openKittiDataset,
  },
}
