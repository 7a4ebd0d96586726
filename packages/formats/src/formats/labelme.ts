/** LabelMe 3.0: the XML format of the MIT web tool. */

import { convMaskToPoly } from '../masks/as-polygons.ts'
import type { Format } from '../model/dataset.ts'
import { openLabelMeDataset } from './labelme/dataset.ts'
import { carries, exportLabelMe, features } from './labelme/export.ts'
import { importLabelMe } from './labelme/import.ts'

export const labelMe: Format = {
  name: 'LabelMe 3.0',
  version: '3.0',
  aliases: [],
  dimension: '2d',
  tracks: false,
  attributes: true,
  exporter: {
    extensions: ['ZIP'],
    options: [],
    carries,
    features,
    exportDataset: exportLabelMe,
  },
  importer: {
    extensions: ['ZIP'],
    options: [convMaskToPoly(true)],
    kinds: ['rectangle', 'polygon', 'mask'],
    importAnnotations: importLabelMe,
    openDataset: openLabelMeDataset,
  },
}
