import type { Place } from '../errors.ts'
import type { Intake } from '../intake.ts'
import { type Geometry, masksAsPolygons } from '../masks.ts'
import type { Imported, Label, Shape, TargetFrame } from '../model.ts'
import { assertFewNumbers } from '../numbers.ts'

/**
 * Yields the mask of an instance as shapes of its frame: as polygons, grouped if there are several, or as the mask
 * itself if the import keeps masks.
 */
export function* placeMask(
  crop: number[],
  { frame, label, ...rest }: Partial<Shape> & { frame: TargetFrame['frame']; label: Label },
  intake: Intake,
  place: Place,
): Generator<Imported> {
  const mask: Geometry = { type: 'mask', points: crop }
  const asPolygons = intake.run.conv_mask_to_poly !== false
  const parts = asPolygons ? masksAsPolygons([mask]) : [mask]
  if (asPolygons)
    intake.note('converted', 'dropped-shape-type', 'masks are read as polygons', place)
  const group = parts.length > 1 ? intake.newGroup(frame) : 0
  for (const part of parts) {
    assertFewNumbers(part.points, place)
    yield* intake.shape({ ...rest, ...part, frame, label_id: label.id, group })
  }
}
