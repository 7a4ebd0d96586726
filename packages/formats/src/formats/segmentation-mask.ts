/** Segmentation mask 1.1: images of classes and objects. */
import { convMaskToPoly } from '../masks/as-polygons.ts'
import type { Format } from '../model/dataset.ts'
import { openSegmentationMaskDataset } from './segmentation-mask/dataset.ts'
import { carries, exportSegmentationMask, features } from './segmentation-mask/export.ts'
import { importSegmentationMask } from './segmentation-mask/import.ts'

export const segmentationMask: Format = {
  name: 'Segmentation mask 1.1',
  version: '1.1',
  aliases: [],
  dimension: '2d',
  tracks: false,
  attributes: false,
  exporter: {
    extensions: ['ZIP'],
    options: [],
    carries,
    features,
    exportDataset: exportSegmentationMask,
  },
  importer: {
    extensions: ['ZIP'],
    options: [convMaskToPoly(true)],
    kinds: ['polygon', 'mask'],
    importAnnotations: importSegmentationMask,
    openDataset: openSegmentationMaskDataset,
  },
}
