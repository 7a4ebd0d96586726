import { z } from 'zod'
import { getQuery } from '../rest/annotation-query.ts'
import {
  annotationSet,
  annotationSetPatch,
  annotationSetWrite,
  patchQuery,
  putQuery,
} from '../rest/annotations.ts'
import { bytes, bytesOf, idParams, ifMatch, page } from '../rest/common.ts'
import { targets } from '../rest/facts.ts'
import {
  annotationDiff,
  diffQuery,
  revision,
  revisionList,
  revisionParams,
  revisionQuery,
} from '../rest/history.ts'
import { importModes } from '../rest/requests.ts'
import { partFacts } from '../rest/server.ts'
import { annotationStatistics, statisticsQuery } from '../rest/statistics.ts'
import { defineOperations, del, get, internal, patch, post, put } from './operation.ts'

const set = bytesOf(annotationSet)
const read = {
  limit: 'annotations',
  params: idParams,
  query: getQuery,
  refuses: [410],
  answers: { 200: set },
} as const
const replace = {
  params: idParams,
  query: putQuery,
  refuses: [410],
  headers: ifMatch,
  body: bytesOf(annotationSetWrite),
  answers: { 200: set },
}
/** With `is_whole`, members that an object does not name get their defaults, and an object without an id is new. */
const change = {
  handed: z.object({ is_whole: z.boolean().optional() }),
  params: idParams,
  query: patchQuery,
  headers: ifMatch,
  body: bytesOf(annotationSetPatch),
  answers: { 200: set },
}
const clear = { params: idParams, headers: ifMatch, answers: { 204: bytes } }

const listed = {
  params: idParams,
  query: revisionList,
  answers: { 200: page(revision, 'PaginatedAnnotationRevisionList') },
} as const
const count = {
  params: idParams,
  query: statisticsQuery,
  answers: { 200: bytesOf(annotationStatistics) },
}

/** Numbers of objects that a write of row lines added, by kind, and number of duplicates that it skipped. */
export const written = z
  .object({ tags: z.int(), shapes: z.int(), tracks: z.int(), duplicates: z.int() })
  .meta({ id: 'WrittenRows' })

/** Annotation sets, whose bodies pass through as bytes; `rest/annotations.ts` documents their schemas. */
export const annotations = defineOperations('AnnotationService', {
  getTaskAnnotations: get('/tasks/:id/annotations/', read),
  replaceTaskAnnotations: put('/tasks/:id/annotations/', replace),
  updateTaskAnnotations: patch('/tasks/:id/annotations/', change),
  deleteTaskAnnotations: del('/tasks/:id/annotations/', clear),
  getJobAnnotations: get('/jobs/:id/annotations/', read),
  replaceJobAnnotations: put('/jobs/:id/annotations/', replace),
  updateJobAnnotations: patch('/jobs/:id/annotations/', change),
  deleteJobAnnotations: del('/jobs/:id/annotations/', clear),
  getProjectAnnotationStatistics: get('/projects/:id/annotations/statistics', count),
  getTaskAnnotationStatistics: get('/tasks/:id/annotations/statistics', count),
  getJobAnnotationStatistics: get('/jobs/:id/annotations/statistics', count),
  listTaskRevisions: get('/tasks/:id/annotations/revisions', listed),
  listJobRevisions: get('/jobs/:id/annotations/revisions', listed),
  getJobRevision: get('/jobs/:id/annotations/revisions/:revision', {
    params: revisionParams,
    query: revisionQuery,
    limit: 'annotations',
    refuses: [410],
    answers: { 200: set },
  }),
  getJobAnnotationsDiff: get('/jobs/:id/annotations/diff', {
    params: idParams,
    query: diffQuery,
    limit: 'annotations',
    refuses: [410],
    answers: { 200: bytesOf(annotationDiff) },
  }),
  restoreJobRevision: post('/jobs/:id/annotations/revisions/:revision/restore', {
    params: revisionParams,
    headers: ifMatch,
    refuses: [410],
    answers: { 200: set },
  }),
  /**
   * Returns row lines (`row-lines.ts`) of a task or job in one snapshot:
   * tags, shapes, then tracks; each ordered by frame and id.
   */
  readRows: internal({
    query: z.object({ target: z.enum(targets), id: z.int() }),
    answers: { 200: bytes },
  }),
  /** Stores row lines without ids as annotations of a task or job, in one transaction, once per `call_id`. */
  writeRows: internal({
    query: z.object({
      target: z.enum(targets),
      id: z.int(),
      /** `merge` skips objects that the target already has. */
      mode: z.enum(importModes),
      /** Whether the write is rolled back after all of it was executed. */
      dry_run: z.boolean().optional(),
      call_id: z.string(),
      if_match: z.string().optional(),
      /** Id of the background request that the write belongs to. */
      rq_id: z.string().optional(),
      /** Whether jobs keep their state instead of starting. */
      keeps_state: z.boolean().optional(),
    }),
    body: bytes,
    answers: { 200: written },
  }),
  /** Returns the limits of this service. */
  describe: internal({ answers: { 200: partFacts } }),
  /** Returns entity tags of annotation sets, which the cache key of an export depends on. */
  getRevision: internal({
    query: z.object({ target: z.enum(targets), id: z.int() }),
    answers: { 200: z.object({ etag: z.string() }).meta({ id: 'Revision' }) },
  }),
})
