import { z } from 'zod'
import { sources } from './annotations.ts'
import { queryFlag, timestamp } from './common.ts'

/** What annotations there are, by the number: `spec/extensions.md` 2. */

const count = z.int().min(0)
const labelStatistics = z
  .object({
    label_id: z.int(),
    name: z.string(),
    tags: count,
    /** Shapes of each type. */
    ...{ rectangle: count, polygon: count, polyline: count, points: count },
    ...{ ellipse: count, cuboid: count, mask: count, skeleton: count },
    tracks: count,
  })
  .meta({ id: 'LabelStatistics' })

export const annotationStatistics = z
  .object({
    frames: z
      .object({
        /** Deleted ones included. */
        total: count,
        /** Undeleted ones with a tag, a visible shape, or a track that is visible there. */
        annotated: count,
        deleted: count,
      })
      .meta({ id: 'FrameStatistics' }),
    objects: z
      .object({
        tags: count,
        shapes: count,
        tracks: count,
        /** Frames at which a track, or a part of one, has a keyframe; outside ones included. */
        track_keyframes: count,
      })
      .meta({ id: 'ObjectStatistics' }),
    /** Every label that there is, in the order of the labels; sublabels have no objects of their own. */
    labels: z.array(labelStatistics).optional(),
    /** Of tags, shapes and tracks. */
    sources: z.record(z.enum(sources), count),
    /** The newest change of the annotations; null before the first. */
    updated_date: timestamp.nullable(),
  })
  .meta({ id: 'AnnotationStatistics' })

export const statisticsQuery = z.object({ labels: queryFlag.default(true) })

export type AnnotationStatistics = z.infer<typeof annotationStatistics>
