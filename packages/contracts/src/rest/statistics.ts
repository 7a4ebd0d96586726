import { z } from 'zod'
import { sources } from './annotations.ts'
import { queryFlag, timestamp } from './common.ts'
import { basicUser } from './users.ts'

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

const authorStatistics = z
  .object({
    /** Null: nobody, or somebody who has no account any more. */
    user: basicUser.nullable(),
    /** Objects by what was done to them, job by job, as the history of annotations counts them. */
    ...{ created: count, updated: count, deleted: count },
  })
  .meta({ id: 'AuthorStatistics' })
export type AuthorStatistics = z.infer<typeof authorStatistics>

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
    /** Who did most comes first. */
    authors: z.array(authorStatistics).optional(),
    /** The oldest change that `authors` know of; null where history knows of none. */
    authors_since: timestamp.nullable().optional(),
    /** The newest change of the annotations; null before the first. */
    updated_date: timestamp.nullable(),
  })
  .meta({ id: 'AnnotationStatistics' })

export const statisticsQuery = z.object({
  labels: queryFlag.default(true),
  authors: queryFlag.default(false),
})

export type AnnotationStatistics = z.infer<typeof annotationStatistics>
