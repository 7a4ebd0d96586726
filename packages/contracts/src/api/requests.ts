import { z } from 'zod'
import { backedUp, backupQuery, restoreQuery } from '../rest/backups.ts'
import { bytes, bytesAs, idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { exportEventsQuery, getEventsQuery, queryId } from '../rest/events.ts'
import { targets } from '../rest/facts.ts'
import { dataParameters } from '../rest/media.ts'
import {
  downloadQuery,
  exportQuery,
  followRequestsQuery,
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
import {
  chunkHeaders,
  chunkType,
  createdFile,
  fileParams,
  namedFile,
  newFile,
  newFileParams,
  notedChunk,
  openedUpload,
  openedUploadChunk,
  storedChunk,
  uploadChunkRange,
  uploadPurpose,
  uploadState,
} from '../rest/uploads.ts'
import { busyTargets, defineOperations, del, get, internal, patch, post } from './operation.ts'

const start = {
  params: idParams,
  query: exportQuery,
  by_token: 'always',
  answers: { 202: rqId, 409: rqId },
} as const
const backUp = {
  params: idParams,
  query: backupQuery,
  by_token: 'always',
  answers: { 202: rqId, 409: rqId },
} as const
const upload = {
  by: 'gateway',
  resumable: true,
  params: idParams,
  query: importQuery,
  headers: ifMatch,
  form: z.object({ annotation_file: bytes }),
  answers: { 202: rqId, 409: rqId },
} as const
/** The archive may be in one of several fields that clients use. */
const restore = {
  by: 'gateway',
  resumable: true,
  refuses: [410],
  query: restoreQuery,
  form: z.object({ backup_file: bytes }),
  answers: { 202: rqId },
} as const
/** A file of a resumable upload. Its number of bytes limits it, not a rate limit. */
const seen = {
  by: 'gateway',
  limit: 'none',
  params: fileParams,
  refuses: [412],
  answers: { 200: uploadState },
  summary: 'Offset of an upload',
} as const
const sent = {
  by: 'gateway',
  limit: 'none',
  params: fileParams,
  headers: chunkHeaders,
  body: bytes,
  media_type: chunkType,
  refuses: [412],
  answers: { 204: nothing },
  summary: 'Upload the next bytes of a file',
} as const
const dropped = {
  params: fileParams,
  answers: { 204: nothing },
  summary: 'Cancel the resumable upload of a file',
} as const
const ofArchive = { params: newFileParams } as const
const archive = bytesAs('application/zip')
const table = bytesAs('text/csv')
const eventStream = bytesAs('text/event-stream')
const download = {
  by: 'gateway',
  limit: 'none',
  params: idParams,
  query: downloadQuery,
  answers: { 200: archive, 206: archive, 302: nothing },
} as const

export const requests = defineOperations('RequestService', {
  listRequests: get('/requests', {
    limit: 'polling',
    query: requestList,
    answers: { 200: page(request, 'RequestPage') },
  }),
  getRequest: get('/requests/:rq_id', {
    limit: 'polling',
    within: 35, // the client may request to wait for 30
    params: rqIdParams,
    query: waitQuery,
    answers: { 200: request },
  }),
  streamRequests: get('/requests/stream', {
    by: 'gateway',
    answers: { 200: eventStream },
    summary: 'Changes of the requests of the user, as server-sent events',
  }),
  streamRequest: get('/requests/:rq_id/stream', {
    by: 'gateway',
    params: rqIdParams,
    answers: { 200: eventStream },
    summary: 'Changes of a request until it ends, as server-sent events',
  }),
  /** Returns a JSON line for the current record, and one for each change. */
  followRequests: internal({ query: followRequestsQuery, answers: { 200: bytes } }),
  getTaskStatus: get('/tasks/:id/status', {
    limit: 'polling',
    params: idParams,
    successor: '/requests?action=create&task_id=:id',
    answers: { 200: taskStatus },
    summary: 'Progress of the media of a task',
  }),
  /** With `only_exports`, a request that has started and is not an export continues. */
  cancelRequest: post('/requests/:rq_id/cancel', {
    params: rqIdParams,
    handed: z.object({ only_exports: z.boolean().optional() }),
    answers: { 200: nothing },
  }),
  exportProjectDataset: post('/projects/:id/dataset/export', start),
  exportTaskDataset: post('/tasks/:id/dataset/export', start),
  exportJobDataset: post('/jobs/:id/dataset/export', start),
  exportProjectBackup: post('/projects/:id/backup/export', {
    ...backUp,
    summary: 'Back up a project, its tasks and their media to an archive',
  }),
  exportTaskBackup: post('/tasks/:id/backup/export', {
    ...backUp,
    summary: 'Back up a task and its media to an archive',
  }),
  importProjectBackup: post('/projects/backup/', {
    ...restore,
    summary: 'Restore a project from a backup',
  }),
  getProjectBackupFile: get('/projects/backup/:file_id', { ...seen, ...ofArchive }),
  sendProjectBackupFile: patch('/projects/backup/:file_id', { ...sent, ...ofArchive }),
  deleteProjectBackupFile: del('/projects/backup/:file_id', { ...dropped, ...ofArchive }),
  importTaskBackup: post('/tasks/backup/', { ...restore, summary: 'Restore a task from a backup' }),
  getTaskBackupFile: get('/tasks/backup/:file_id', { ...seen, ...ofArchive }),
  sendTaskBackupFile: patch('/tasks/backup/:file_id', { ...sent, ...ofArchive }),
  deleteTaskBackupFile: del('/tasks/backup/:file_id', { ...dropped, ...ofArchive }),
  downloadProjectBackup: get('/projects/:id/backup/download', download),
  downloadTaskBackup: get('/tasks/:id/backup/download', download),
  uploadTaskData: post('/tasks/:id/data', {
    by: 'gateway',
    resumable: true,
    params: idParams,
    body: dataParameters,
    form: z.object({ client_files: bytes }),
    answers: { 202: rqId, 409: rqId },
    summary: 'Attach media to a task',
  }),
  deleteTaskData: del('/tasks/:id/data', {
    params: idParams,
    answers: { 204: nothing },
    summary: 'Delete uploaded files that are not yet media of the task',
  }),
  getTaskDataFile: get('/tasks/:id/data/:file_id', seen),
  sendTaskDataFile: patch('/tasks/:id/data/:file_id', sent),
  deleteTaskDataFile: del('/tasks/:id/data/:file_id', dropped),
  importTaskAnnotations: post('/tasks/:id/annotations/', upload),
  getTaskAnnotationsFile: get('/tasks/:id/annotations/:file_id', seen),
  sendTaskAnnotationsFile: patch('/tasks/:id/annotations/:file_id', sent),
  deleteTaskAnnotationsFile: del('/tasks/:id/annotations/:file_id', dropped),
  importJobAnnotations: post('/jobs/:id/annotations/', upload),
  getJobAnnotationsFile: get('/jobs/:id/annotations/:file_id', seen),
  sendJobAnnotationsFile: patch('/jobs/:id/annotations/:file_id', sent),
  deleteJobAnnotationsFile: del('/jobs/:id/annotations/:file_id', dropped),
  importProjectDataset: post('/projects/:id/dataset/', {
    by: 'gateway',
    resumable: true,
    params: idParams,
    query: importQuery,
    form: z.object({ dataset_file: bytes }),
    answers: { 202: rqId, 409: rqId },
    summary: 'Create tasks from a dataset with images',
  }),
  getProjectDatasetFile: get('/projects/:id/dataset/:file_id', seen),
  sendProjectDatasetFile: patch('/projects/:id/dataset/:file_id', sent),
  deleteProjectDatasetFile: del('/projects/:id/dataset/:file_id', dropped),
  downloadProjectDataset: get('/projects/:id/dataset/download', download),
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
    answers: { 200: table, 206: table, 302: nothing },
  }),
  getEvents: get('/events', {
    by: 'gateway',
    limit: 'polling',
    query: getEventsQuery,
    refuses: [500],
    answers: { 200: table, 201: nothing, 202: queryId, 206: table },
    summary: 'Deprecated: use POST /events/export',
  }),
  /** Checks that an upload may start, and registers it before its first byte; its objects are stored below `prefix`. */
  openUpload: internal({ query: uploadPurpose, answers: { 200: openedUpload } }),
  /** Checks that an upload in several requests may start, without registering it. */
  checkUpload: internal({ query: uploadPurpose, answers: { 200: nothing } }),
  /** Opens the session in which files of several requests wait until they are used; all files of a task share one. */
  openSession: internal({ query: z.object({ id: z.int() }), answers: { 200: openedUpload } }),
  /** Registers complete files below the prefix of a session. */
  addFiles: internal({
    body: z
      .object({ upload_id: z.string(), task_id: z.int(), files: z.array(uploadedFile) })
      .meta({ id: 'AddFiles' }),
    answers: { 200: nothing },
  }),
  createFile: internal({ query: newFile, answers: { 200: createdFile } }),
  findFile: internal({ query: namedFile, answers: { 200: uploadState } }),
  openChunk: internal({ query: uploadChunkRange, answers: { 200: openedUploadChunk } }),
  noteChunk: internal({ query: storedChunk, answers: { 200: notedChunk } }),
  startDataPreparation: internal({
    body: z
      .object({
        /** If absent, the files are those of the session of the task, together with these. */
        upload_id: z.string().optional(),
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
        /**
         * Upload of a file that was sent in one request. A file sent in several requests is named by `file_id`, and one
         * in a cloud storage by its key.
         */
        upload_id: z.string().optional(),
        target: z.enum(targets),
        id: z.int(),
        file: uploadedFile.optional(),
        format: z.string(),
        import_mode: z.string(),
        conv_mask_to_poly: z.boolean().optional(),
        dry_run: z.boolean().optional(),
        if_match: z.string().optional(),
        file_id: z.string().optional(),
        location: z.string().optional(),
        cloud_storage_id: z.int().optional(),
        /** Whether tasks of the default subset of a dataset get a subset of this name; otherwise they get none. */
        names_default_subset: z.boolean().optional(),
      })
      .meta({ id: 'StartImport' }),
    answers: { 202: rqId },
  }),
  startRestore: internal({
    body: z
      .object({
        /** As in `startImport`. */
        upload_id: z.string().optional(),
        file: uploadedFile.optional(),
        file_id: z.string().optional(),
        target: z.enum(backedUp),
        dry_run: z.boolean().optional(),
        location: z.string().optional(),
        cloud_storage_id: z.int().optional(),
      })
      .meta({ id: 'StartRestore' }),
    answers: { 202: rqId },
  }),
  /**
   * Returns whether work on the object, or on its content, is queued or
   * started; called by the gateway for the owner of the object.
   */
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
      /** Whether the request is dropped afterwards. Its file is kept long enough to be read once. */
      is_last: z.boolean().optional(),
    }),
    answers: { 200: resultFile },
  }),
})
