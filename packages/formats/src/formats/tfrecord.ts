/** TFRecord 1.0: records of the TensorFlow Object Detection API. */

import type { Format } from '../model/dataset.ts'
import { openTfDataset } from './tfrecord/dataset.ts'
import { carries, exportTfRecords, features } from './tfrecord/export.ts'
import { importTfRecords } from './tfrecord/import.ts'

export const tfrecord: Format = {
  name: 'TFRecord 1.0',
  version: '1.0',
  aliases: ['TF Detection API 1.0'],
  dimension: '2d',
  tracks: false,
  attributes: false,
  exporter: {
    extensions: ['ZIP'],
    options: [],
    carries,
    features,
    exportDataset: exportTfRecords,
  },
  importer: {
    extensions: ['ZIP'],
    options: [],
    kinds: ['rectangle', 'mask'],
    importAnnotations: importTfRecords,
    openDataset: openTfDataset,
  },
}
