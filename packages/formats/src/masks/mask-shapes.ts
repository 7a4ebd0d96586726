import type { ImportIntake } from '../importing/intake.ts'
import type { DatasetLabel, DatasetShape, Imported, TargetFrame } from '../model/dataset.ts'
import type { ErrorLocation } from '../report/errors.ts'
import { assertFewNumbers } from '../text/numbers.ts'
import { masksAsPolygons, type PartGeometry } from './as-polygons.ts'

/**
 * Yields the mask of an instance as shapes of its frame: as polygons, grouped if there are several, or as the mask
 * itself if the import keeps masks.
 */
export function* createMaskShapes(
  crop: number[],
  {
    frame,
    label,
    ...rest
  }: Partial<DatasetShape> & { frame: TargetFrame['frame']; label: DatasetLabel },
  intake: ImportIntake,
  location: ErrorLocation,
): Generator<Imported> {
  const mask: PartGeometry = { type: 'mask', points: crop }
  const asPolygons = intake.run.conv_mask_to_poly !== false
  const parts = asPolygons ? masksAsPolygons([mask]) : [mask]
  if (asPolygons)
    intake.note('converted', 'dropped-shape-type', 'masks are read as polygons', location)
  const group = parts.length > 1 ? intake.newGroup(frame) : 0
  for (const part of parts) {
    assertFewNumbers(part.points, location)
    yield* intake.shape({ ...rest, ...part, frame, label_id: label.id, group })
  }
}
