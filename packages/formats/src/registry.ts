/** All formats by name. A new format is one line here. */
import { coco } from './formats/coco.ts'
import { kitti } from './formats/kitti.ts'
import { labelMe } from './formats/labelme.ts'
import { mot } from './formats/mot.ts'
import { segmentationMask } from './formats/segmentation-mask.ts'
import { service, serviceForImages, serviceForVideo } from './formats/service.ts'
import { tfrecord } from './formats/tfrecord.ts'
import { voc } from './formats/voc.ts'
import { yolo } from './formats/yolo.ts'
import {
  type AnnotationKind,
  type Exporter,
  type Format,
  type FormatOption,
  type Importer,
  shapeTypes,
} from './model/dataset.ts'
import { nearestName } from './text/nearest-name.ts'

export const formats: readonly Format[] = [
  coco,
  kitti,
  labelMe,
  mot,
  segmentationMask,
  service,
  serviceForImages,
  serviceForVideo,
  tfrecord,
  voc,
  yolo,
]

/** Row of `GET /server/annotation/formats`. */
export interface FormatRow {
  name: string
  /** Upper-case, `JSON, ZIP`. */
  ext: string
  version: string
  enabled: boolean
  dimension: '2d' | '3d'
  kinds: AnnotationKind[]
  tracks: boolean
  attributes: boolean
  options: FormatOption[]
}

/** Returns the importer with that name: exact, without case, or by alias. */
export function findImporter(
  name: string,
  known: readonly Format[] = formats,
): (Format & { importer: Importer }) | undefined {
  const importers = known.flatMap((format) =>
    format.importer ? [{ ...format, importer: format.importer }] : [],
  )
  return findByName(importers, name)
}

/** Returns the exporter with that name: exact, without case, or by alias. */
export function findExporter(
  name: string,
  known: readonly Format[] = formats,
): (Format & { exporter: Exporter }) | undefined {
  const exporters = known.flatMap((format) =>
    format.exporter ? [{ ...format, exporter: format.exporter }] : [],
  )
  return findByName(exporters, name)
}

/** Returns a message about an unknown name: the name that was probably meant, and all names of that direction. */
export function describeUnknown(
  name: string,
  side: 'importer' | 'exporter',
  known: readonly Format[] = formats,
): string {
  const own = known.filter((format) => format[side])
  const nearest = nearestName(
    name,
    own.map((format) => [format.name, ...format.aliases]),
  )
  const names = own.map((format) => format.name).toSorted()
  const hint = nearest === undefined ? '' : `Did you mean '${nearest}'? `
  const use = side === 'importer' ? 'import' : 'export'
  return `${hint}Formats for ${use}: ${names.join(', ')}.`
}

/** Returns both lists of `GET /server/annotation/formats`, sorted by name. */
export function listFormats(known: readonly Format[] = formats): {
  importers: FormatRow[]
  exporters: FormatRow[]
} {
  const sorted = known.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  return {
    importers: sorted.flatMap((format) =>
      format.importer ? [rowOf(format, format.importer, [...format.importer.kinds])] : [],
    ),
    exporters: sorted.flatMap((format) =>
      format.exporter ? [rowOf(format, format.exporter, carriedKinds(format.exporter))] : [],
    ),
  }
}

/** Returns the response of `GET /server/formats/losses`, sorted by name. */
export function listLosses(known: readonly Format[] = formats): {
  formats: { name: string; kinds: Exporter['carries']; features: Exporter['features'] }[]
} {
  const exporters = known.flatMap(({ name, exporter }) =>
    exporter ? [{ name, kinds: exporter.carries, features: exporter.features }] : [],
  )
  return { formats: exporters.toSorted((a, b) => (a.name < b.name ? -1 : 1)) }
}

function findByName<T extends Format>(known: readonly T[], name: string): T | undefined {
  const lower = name.toLowerCase()
  return (
    known.find((format) => format.name === name) ??
    known.find((format) => format.name.toLowerCase() === lower) ??
    known.find((format) => format.aliases.some((alias) => alias.toLowerCase() === lower))
  )
}

const kinds: readonly AnnotationKind[] = [...shapeTypes, 'tag']

function carriedKinds({ carries }: Exporter): AnnotationKind[] {
  return kinds.filter((kind) => carries[kind] !== 'dropped')
}

function rowOf(
  { name, version, dimension, tracks, attributes }: Format,
  side: { extensions: readonly string[]; options: readonly FormatOption[] },
  carried: AnnotationKind[],
): FormatRow {
  return {
    name,
    ext: side.extensions.join(', '),
    version,
    enabled: true,
    dimension,
    kinds: carried,
    tracks,
    attributes,
    options: [...side.options],
  }
}
