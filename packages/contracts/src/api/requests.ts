import { z } from 'zod'
import { bytes, idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { exportEventsQuery, getEventsQuery, queryId } from '../rest/events.ts'
import { targets } from '../rest/facts.ts'
import { dataParameters } from '../rest/media.ts'
import {
  downloadQuery,
  exportQuery,
  importQuery,
  request,
  requestList,
  resultFile,
  rqId,
  rqIdParams,
  taskStatus,
  uploadedFile,
  waitQuery,
} from '../rest/requests.ts'
import { busyTargets, get, internal, operations, post } from './operation.ts'

const start = {
  params: idParams,
  query: exportQuery,
  by_token: 'always',
  answers: { 202: rqId, 409: rqId },
} as const
const upload = {
  by: 'gateway',
  params: idParams,
  query: importQuery,
  headers: ifMatch,
  form: z.object({ annotation_file: bytes }),
  answers: { 202: rqId, 409: rqId },
} as const
const download = {
  by: 'gateway',
  limit: 'none',
  params: idParams,
  query: downloadQuery,
  answers: { 200: bytes, 206: bytes, 302: nothing },
} as const

export const requests = operations('RequestService', {
  listRequests: get('/requests', {
    limit: 'polling',
    query: requestList,
    answers: { 200: page(request, 'RequestPage') },
  }),
  getRequest: get('/requests/:rq_id', {
    limit: 'polling',
    within: 35, // it may be asked to wait for 30
    params: rqIdParams,
    query: waitQuery,
    answers: { 200: request },
  }),
  getTaskStatus: get('/tasks/:id/status', {
    limit: 'polling',
    params: idParams,
    successor: '/requests?action=create&task_id=:id',
    answers: { 200: taskStatus },
    summary: 'How far the media of a task is',
  }),
  cancelRequest: post('/requests/:rq_id/cancel', {
    params: rqIdParams,
    answers: { 200: nothing },
  }),
  exportTaskDataset: post('/tasks/:id/dataset/export', start),
  exportJobDataset: post('/jobs/:id/dataset/export', start),
  uploadTaskData: post('/tasks/:id/data', {
    by: 'gateway',
    params: idParams,
    form: dataParameters.extend({ client_files: bytes }),
    answers: { 202: rqId, 409: rqId },
    summary: 'Attach pictures, or one archive of them, to a task',
  }),
  importTaskAnnotations: post('/tasks/:id/annotations/', upload),
  importJobAnnotations: post('/jobs/:id/annotations/', upload),
  downloadTaskDataset: get('/tasks/:id/dataset/download', download),
  downloadJobDataset: get('/jobs/:id/dataset/download', download),
  exportEvents: post('/events/export', {
    query: exportEventsQuery,
    by_token: 'always',
    answers: { 202: rqId },
    summary: 'Write events of the log as a CSV file',
  }),
  downloadEvents: get('/events/download', {
    by: 'gateway',
    limit: 'none',
    query: downloadQuery,
    answers: { 200: bytes, 206: bytes, 302: nothing },
  }),
  getEvents: get('/events', {
    by: 'gateway',
    limit: 'polling',
    query: getEventsQuery,
    answers: { 200: bytes, 201: nothing, 202: queryId },
    summary: 'Deprecated: use POST /events/export',
  }),
  /** May this upload begin? Registers it before its first byte; objects go below `prefix` (`reliability.md` 16.1). */
  openUpload: internal({
    query: z.object({
      purpose: z.enum(['data', 'annotations']),
      target: z.enum(targets),
      id: z.int(),
      format: z.string().optional(),
      import_mode: z.string().optional(),
      location: z.string().optional(),
      if_match: z.string().optional(),
    }),
    answers: {
      200: z.object({ upload_id: z.string(), prefix: z.string() }).meta({ id: 'OpenedUpload' }),
    },
  }),
  startDataPreparation: internal({
    body: z
      .object({
        upload_id: z.string(),
        task_id: z.int(),
        files: z.array(uploadedFile),
        parameters: dataParameters,
      })
      .meta({ id: 'StartDataPreparation' }),
    answers: { 202: rqId },
  }),
  startImport: internal({
    body: z
      .object({
        upload_id: z.string(),
        target: z.enum(targets),
        id: z.int(),
        file: uploadedFile,
        format: z.string(),
        import_mode: z.string(),
        conv_mask_to_poly: z.boolean(),
        if_match: z.string().optional(),
      })
      .meta({ id: 'StartImport' }),
    answers: { 202: rqId },
  }),
  /** Is work of the object, or of what is in it, queued or started? Asked by the gateway for who owns the object. */
  findRunning: internal({
    query: z.object({ target: z.enum(busyTargets), id: z.int() }),
    answers: { 200: z.object({ is_running: z.boolean() }).meta({ id: 'RunningFound' }) },
  }),
  getResultFile: internal({
    query: z.object({
      target: z.enum([...targets, 'events']),
      /** 0 for events, which belong to no object. */
      id: z.int(),
      rq_id: z.string().optional(),
      /** The request goes with this: its file stays long enough to be read once. */
      is_last: z.boolean().optional(),
    }),
    answers: { 200: resultFile },
  }),
})
