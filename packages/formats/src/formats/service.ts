/** The native format (spec/formats.md 7): one importer of all layouts, and an exporter of each. */
import { type Exporter, type Format, type Kind, shapeTypes } from '../model.ts'
import { exporterOf } from '../service/export.ts'
import { importService } from '../service/import.ts'
import type { Layout } from '../service/losses.ts'

const kinds: readonly Kind[] = [...shapeTypes, 'tag']

const carries: Exporter['carries'] = {
  rectangle: 'kept',
  polygon: 'kept',
  polyline: 'kept',
  points: 'kept',
  ellipse: 'kept',
  cuboid: 'kept',
  mask: 'kept',
  skeleton: 'kept',
  tag: 'kept',
}

const common = { version: '1.1', dimension: '2d', attributes: true } as const

const exporter = (layout: Layout, own: Partial<Exporter['carries']> = {}): Exporter => ({
  extensions: ['ZIP'],
  options: [],
  carries: { ...carries, ...own },
  exportDataset: exporterOf(layout),
})

export const service: Format = {
  ...common,
  name: 'Service 1.1',
  aliases: ['CVAT 1.1', 'CVAT XML 1.1'],
  tracks: true,
  exporter: exporter('combined'),
  importer: {
    extensions: ['XML', 'ZIP'],
    options: [],
    kinds,
    importAnnotations: importService,
  },
}

export const serviceForImages: Format = {
  ...common,
  name: 'Service for images 1.1',
  aliases: ['CVAT for images 1.1'],
  tracks: false,
  exporter: exporter('images'),
}

export const serviceForVideo: Format = {
  ...common,
  name: 'Service for video 1.1',
  aliases: ['CVAT for video 1.1'],
  tracks: true,
  exporter: exporter('video', { tag: 'dropped' }),
}
