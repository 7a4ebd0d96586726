/** YOLO 1.1: the files of Darknet. */
import type { Format } from '../model/dataset.ts'
import { openYoloDataset } from './yolo/dataset.ts'
import { carries, exportYolo, features } from './yolo/export.ts'
import { importYolo } from './yolo/import.ts'

export const yolo: Format = {
  name: 'YOLO 1.1',
  version: '1.1',
  aliases: [],
  dimension: '2d',
  tracks: false,
  attributes: false,
  exporter: { extensions: ['ZIP'], options: [], carries, features, exportDataset: exportYolo },
  importer: {
    extensions: ['ZIP'],
    options: [],
    kinds: ['rectangle'],
    importAnnotations: importYolo,
    openDataset: openYoloDataset,
  },
}
