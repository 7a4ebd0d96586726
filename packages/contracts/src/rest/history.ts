import { z } from 'zod'
import { selection } from './annotation-query.ts'
import { annotationSet, shape, tag, track } from './annotations.ts'
import { pathId, timestamp } from './common.ts'
import { listFields, listOf } from './lists.ts'
import { basicUser } from './users.ts'

/** Annotation history. See docs/spec/annotations.md#history. */

export const revisionActions = [
  'create',
  'update',
  'delete',
  'replace',
  'import',
  'restore',
  'label_change',
] as const
export type RevisionAction = (typeof revisionActions)[number]

export const revision = z
  .object({
    revision: z.int(),
    job_id: z.int(),
    created_date: timestamp,
    /** Null without an author, or if the account no longer exists. */
    author: basicUser.nullable(),
    action: z.enum(revisionActions),
    /** Numbers of objects by operation; a replacement deletes all objects and creates the new ones. */
    counts: z
      .object({ created: z.int(), updated: z.int(), deleted: z.int() })
      .meta({ id: 'RevisionCounts' }),
    /** `X-Request-Id` of the write; null for an import, which has `rq_id`. */
    request_id: z.string().nullable(),
    rq_id: z.string().nullable(),
    /** Whether the revision can still be read. */
    readable: z.boolean(),
  })
  .meta({ id: 'AnnotationRevision' })

export const revisionFields = listFields({
  equal: { id: 'integer', revision: 'integer', author: 'text', action: revisionActions },
  more: { created_date: 'date' },
  order: '-created_date',
})
/** Records do not show their id, which is only the order of their creation. */
export const revisionList = listOf(revisionFields).omit({ id: true, search: true })

export const revisionParams = z.object({ id: pathId, revision: pathId })
export const revisionQuery = z.object(selection)
const revisionNumber = z.coerce.number().pipe(z.int().min(1))
/** Without `to`, the newest revision. */
export const diffQuery = z.object({ from: revisionNumber, to: revisionNumber.optional() })

const changed = <S extends z.ZodType>(schema: S, id: string) =>
  z.array(z.object({ before: schema, after: schema }).meta({ id }))

const objects = annotationSet.omit({ version: true }).meta({ id: 'AnnotationObjects' })

export const annotationDiff = z
  .object({
    from: z.int(),
    to: z.int(),
    created: objects,
    updated: z
      .object({
        tags: changed(tag, 'ChangedTag'),
        shapes: changed(shape, 'ChangedShape'),
        tracks: changed(track, 'ChangedTrack'),
      })
      .meta({ id: 'ChangedObjects' }),
    deleted: objects,
  })
  .meta({ id: 'AnnotationDiff' })
export type Revision = z.infer<typeof revision>
