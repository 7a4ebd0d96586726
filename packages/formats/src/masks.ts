/** Converts masks of a file to polygons (docs/spec/formats.md#masks-to-polygons). */
import { maskToPolygons } from '@reticle/geometry'
import type { FormatOption, ShapeType } from './model.ts'

/** Option of importers that can convert masks to polygons; `Run.conv_mask_to_poly` is the requested value. */
export const convMaskToPoly = (byDefault: boolean): FormatOption => ({
  name: 'conv_mask_to_poly',
  type: 'boolean',
  default: byDefault,
})

/** One part of an object in a file. */
export interface Geometry {
  type: ShapeType
  points: number[]
}

/** Replaces each mask by polygons, one for each connected group of its pixels. */
export const masksAsPolygons = (parts: readonly Geometry[]): Geometry[] =>
  parts.flatMap((part) =>
    part.type === 'mask'
      ? maskToPolygons(part.points).map((points): Geometry => ({ type: 'polygon', points }))
      : part,
  )
