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
import { get, internal, operations, patch } from './operation.ts'

/** What is known of media, answered by projects-svc; the pictures themselves are `frames.ts`. */
export const media = operations('MediaService', {
  getTaskDataMeta: get('/tasks/:id/data/meta', { params: idParams, answers: { 200: dataMeta } }),
  getJobDataMeta: get('/jobs/:id/data/meta', { params: idParams, answers: { 200: dataMeta } }),
  /** `If-Match` names a state of the task, whose date moves. */
  updateTaskDataMeta: patch('/tasks/:id/data/meta', {
    params: idParams,
    headers: ifMatch,
    body: taskDataMetaPatch,
    answers: { 200: dataMeta },
    summary: 'Delete and restore frames of a task',
  }),
  /** `If-Match` names a state of the job. */
  updateJobDataMeta: patch('/jobs/:id/data/meta', {
    params: idParams,
    headers: ifMatch,
    body: jobDataMetaPatch,
    answers: { 200: dataMeta },
    summary: 'Delete and restore those frames of a task that a job has',
  }),
  getProjectDataMeta: get('/projects/:id/data/meta', {
    params: idParams,
    answers: { 200: projectDataMeta },
    summary: 'How many frames a project has, in all of its tasks',
  }),
  listFrames: get('/frames', {
    query: frameSearch,
    answers: { 200: page(foundFrame, 'FoundFramePage') },
    summary: 'Frames whose file names hold what is searched for',
  }),
  /** Frames in the body (JSON lines of `frameSource`) become the task's media, and jobs are split. */
  attachMedia: internal({
    query: attachMediaQuery,
    body: bytes,
    answers: { 200: attachedMedia },
  }),
  /** JSON lines of `frameSource` in frame order, from `start` to `stop` inclusive. */
  readFrames: internal({
    query: z.object({ task_id: z.int(), start: z.int(), stop: z.int() }),
    answers: { 200: bytes },
  }),
  /** Of a task; with a ground-truth job also the frames that it does not count. */
  getDeletedFrames: internal({
    query: z.object({ task_id: z.int(), job_id: z.int().optional() }),
    answers: { 200: deletedFrames },
  }),
  getMediaFacts: internal({ query: z.object({ task_id: z.int() }), answers: { 200: mediaFacts } }),
  /** Frames and jobs of a target, which the caller must be allowed to view. */
  listExtents: internal({
    query: z.object({ target: z.enum(targets), id: z.int(), after: z.int().optional() }),
    answers: { 200: extents },
  }),
  getFrameSizes: internal({ query: z.object({ task_id: z.int() }), answers: { 200: frameSizes } }),
  /** One frame of a task or job, or with `preview` the one that stands for it; the caller must be allowed to view it. */
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
   * The chunk of that number of a task; of a job, as much of it as the job has, or the chunk of that `index` among its own
   * frames. The caller must be allowed to view it.
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
