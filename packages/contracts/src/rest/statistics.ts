import { z } from 'zod'
import { sources } from './annotations.ts'
import { queryFlag, timestamp } from './common.ts'
import { basicUser } from './users.ts'

/** Numbers of annotations. See docs/spec/annotations.md#statistics. */

const count = z.int().min(0)
const labelStatistics = z
  .object({
    label_id: z.int(),
    name: z.string(),
    tags: count,
    /** Shapes of each type. */
    rectangle: count,
    polygon: count,
    polyline: count,
    points: count,
    ellipse: count,
    cuboid: count,
    mask: count,
    skeleton: count,
    tracks: count,
  })
  .meta({ id: 'LabelStatistics' })

const authorStatistics = z
  .object({
    /** Null without an author, or if the account no longer exists. */
    user: basicUser.nullable(),
    /** Numbers of objects by operation, summed over jobs, as in the annotation history. */
    created: count,
    updated: count,
    deleted: count,
  })
  .meta({ id: 'AuthorStatistics' })
export type AuthorStatistics = z.infer<typeof authorStatistics>

export const annotationStatistics = z
  .object({
    frames: z
      .object({
        /** Including deleted frames. */
        total: count,
        /** Frames that are not deleted and have a tag, a visible shape or a visible track. */
        annotated: count,
        deleted: count,
      })
      .meta({ id: 'FrameStatistics' }),
    objects: z
      .object({
        tags: count,
        shapes: count,
        tracks: count,
        /** Frames at which a track, or an element of one, has a keyframe, including outside ones. */
        track_keyframes: count,
      })
      .meta({ id: 'ObjectStatistics' }),
    /** All labels, in their order; sublabels have no separate objects. */
    labels: z.array(labelStatistics).optional(),
    /** Numbers of tags, shapes and tracks by source. */
    sources: z.record(z.enum(sources), count),
    /** Ordered by number of changes, descending. */
    authors: z.array(authorStatistics).optional(),
    /** Date of the oldest change in `authors`; null if the history is empty. */
    authors_since: timestamp.nullable().optional(),
    /** Date of the newest change of the annotations; null before the first one. */
    updated_date: timestamp.nullable(),
  })
  .meta({ id: 'AnnotationStatistics' })

export const statisticsQuery = z.object({
  labels: queryFlag.default(true),
  authors: queryFlag.default(false),
})

export type AnnotationStatistics = z.infer<typeof annotationStatistics>
