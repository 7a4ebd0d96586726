import { z } from 'zod'
import { bytes, idParams, ifMatch, page } from '../rest/common.ts'
import {
  attachedMedia,
  attachMediaQuery,
  deletedFrames,
  extents,
  frameSizes,
  locatedChunk,
  locatedFrame,
  mediaFacts,
  targets,
} from '../rest/facts.ts'
import {
  dataMeta,
  foundFrame,
  frameSearch,
  jobDataMetaPatch,
  projectDataMeta,
  taskDataMetaPatch,
} from '../rest/media.ts'
import { defineOperations, get, internal, patch } from './operation.ts'

/** Metadata of media, answered by projects-svc; the images are in `frames.ts`. */
export const media = defineOperations('MediaService', {
  getTaskDataMeta: get('/tasks/:id/data/meta', { params: idParams, answers: { 200: dataMeta } }),
  getJobDataMeta: get('/jobs/:id/data/meta', { params: idParams, answers: { 200: dataMeta } }),
  /** `If-Match` refers to the task, whose update date changes. */
  updateTaskDataMeta: patch('/tasks/:id/data/meta', {
    params: idParams,
    headers: ifMatch,
    body: taskDataMetaPatch,
    answers: { 200: dataMeta },
    summary: 'Delete and restore frames of a task',
  }),
  /** `If-Match` refers to the job. */
  updateJobDataMeta: patch('/jobs/:id/data/meta', {
    params: idParams,
    headers: ifMatch,
    body: jobDataMetaPatch,
    answers: { 200: dataMeta },
    summary: 'Delete and restore frames of a job',
  }),
  getProjectDataMeta: get('/projects/:id/data/meta', {
    params: idParams,
    answers: { 200: projectDataMeta },
    summary: 'Number of frames in all tasks of a project',
  }),
  listFrames: get('/frames', {
    query: frameSearch,
    answers: { 200: page(foundFrame, 'FoundFramePage') },
    summary: 'Find frames by the names of their files',
  }),
  /** Attaches the frames in the body (JSON lines of `frameSource`) to the task, and splits it into jobs. */
  attachMedia: internal({
    query: attachMediaQuery,
    body: bytes,
    answers: { 200: attachedMedia },
  }),
  /** Returns JSON lines of `frameSource` in frame order, from `start` to `stop` inclusive. */
  readFrames: internal({
    query: z.object({ task_id: z.int(), start: z.int(), stop: z.int() }),
    answers: { 200: bytes },
  }),
  /** Returns deleted frames of a task; with a ground-truth job, also the frames that it excludes. */
  getDeletedFrames: internal({
    query: z.object({ task_id: z.int(), job_id: z.int().optional() }),
    answers: { 200: deletedFrames },
  }),
  getMediaFacts: internal({ query: z.object({ task_id: z.int() }), answers: { 200: mediaFacts } }),
  /** Returns frames and jobs of a target that the caller may view. */
  listExtents: internal({
    query: z.object({ target: z.enum(targets), id: z.int(), after: z.int().optional() }),
    answers: { 200: extents },
  }),
  getFrameSizes: internal({ query: z.object({ task_id: z.int() }), answers: { 200: frameSizes } }),
  /**
   * Returns the location of one frame of a task or job, or with `preview` of its preview frame. The caller must be
   * allowed to view it.
   */
  locateFrame: internal({
    query: z.object({
      target: z.enum(targets),
      id: z.int(),
      number: z.int(),
      preview: z.boolean(),
    }),
    answers: { 200: locatedFrame },
  }),
  /**
   * Returns the location of a chunk of a task by number; for a job, the part of that chunk within the job, or the chunk
   * with that `index` among the frames of the job. The caller must be allowed to view it.
   */
  locateChunk: internal({
    query: z.object({
      target: z.enum(['task', 'job']),
      id: z.int(),
      number: z.int().optional(),
      index: z.int().optional(),
    }),
    answers: { 200: locatedChunk },
  }),
})
