/** Converts masks of a file to polygons (docs/spec/formats.md#masks-to-polygons). */
import { maskToPolygons } from '@reticle/geometry'
import type { DatasetShapeType, FormatOption } from '../model/dataset.ts'

/** Option of importers that can convert masks to polygons; `Run.conv_mask_to_poly` is the requested value. */
export const convMaskToPoly = (byDefault: boolean): FormatOption => ({
  name: 'conv_mask_to_poly',
  type: 'boolean',
  default: byDefault,
})

/** One part of an object in a file. */
export interface PartGeometry {
  type: DatasetShapeType
  points: number[]
}

/** Replaces each mask by polygons, one for each connected group of its pixels. */
export const masksAsPolygons = (parts: readonly PartGeometry[]): PartGeometry[] =>
  parts.flatMap((part) =>
    part.type === 'mask'
      ? maskToPolygons(part.points).map((points): PartGeometry => ({ type: 'polygon', points }))
      : part,
  )
