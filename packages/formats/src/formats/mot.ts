/** MOT 1.1: ground truth and detections of the MOT challenge. */
import type { Format } from '../model/dataset.ts'
import { openMotDataset } from './mot/dataset.ts'
import { carries, exportMot, features } from './mot/export.ts'
import { importMot } from './mot/import.ts'

export const mot: Format = {
  name: 'MOT 1.1',
  version: '1.1',
  aliases: [],
  dimension: '2d',
  tracks: true,
  attributes: false,
  exporter: { extensions: ['ZIP'], options: [], carries, features, exportDataset: exportMot },
  importer: {
    extensions: ['ZIP'],
    options: [],
    kinds: ['rectangle'],
    importAnnotations: importMot,
    openDataset: openMotDataset,
  },
}
