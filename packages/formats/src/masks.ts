/** Masks of a file as polygons (spec/formats.md 4.5). */
import { maskToPolygons } from '@reticle/geometry'
import type { FormatOption, ShapeType } from './model.ts'

/** What an importer lists that can turn masks into polygons; `Run.conv_mask_to_poly` is what was asked for. */
export const convMaskToPoly = (byDefault: boolean): FormatOption => ({
  name: 'conv_mask_to_poly',
  type: 'boolean',
  default: byDefault,
})

/** One of the parts that an object of a file consists of. */
export interface Geometry {
  type: ShapeType
  points: number[]
}

/** The same parts with the polygons of each mask in its place: one for each group of its pixels that touch. */
export const masksAsPolygons = (parts: readonly Geometry[]): Geometry[] =>
  parts.flatMap((part) =>
    part.type === 'mask'
      ? maskToPolygons(part.points).map((points): Geometry => ({ type: 'polygon', points }))
      : part,
  )
