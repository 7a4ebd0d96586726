/** The native format: one importer for all layouts, and one exporter for each layout. */

import { type Exporter, type Format, shapeTypes } from '../model/dataset.ts'
import { openServiceDataset } from './service/dataset.ts'
import { declaredServiceImages } from './service/declared-images.ts'
import { exporterOf } from './service/export.ts'
import { importService } from './service/import.ts'
import { layouts, type ServiceLayout } from './service/losses.ts'

const common = { version: '1.1', dimension: '2d', attributes: true } as const

const exporter = (layout: ServiceLayout): Exporter => ({
  extensions: ['ZIP'],
  options: [],
  carries: layouts[layout].carries,
  features: layouts[layout].features,
  exportDataset: exporterOf(layout),
})

export const service: Format = {
  ...common,
  name: layouts.combined.name,
  aliases: ['CVAT 1.1', 'CVAT XML 1.1'],
  tracks: true,
  exporter: exporter('combined'),
  importer: {
    extensions: ['XML', 'ZIP'],
    options: [],
    kinds: [...shapeTypes, 'tag'],
    importAnnotations: importService,
    openDataset: openServiceDataset,
    declaredImages: declaredServiceImages,
  },
}

export const serviceForImages: Format = {
  ...common,
  name: layouts.images.name,
  aliases: ['CVAT for images 1.1'],
  tracks: false,
  exporter: exporter('images'),
}

export const serviceForVideo: Format = {
  ...common,
  name: layouts.video.name,
  aliases: ['CVAT for video 1.1'],
  tracks: true,
  exporter: exporter('video'),
}
