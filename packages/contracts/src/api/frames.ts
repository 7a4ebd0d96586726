import { bytesAs, idParams } from '../rest/common.ts'
import { dataQuery, jobDataQuery, preference } from '../rest/media.ts'
import { defineOperations, get } from './operation.ts'

const picture = bytesAs('image/*')
/** Chunks and context images are archives. */
const pictures = bytesAs('image/*', 'application/zip')

/** A missing preview is 204 instead of an error for a client that prefers so. */
const preview = {
  params: idParams,
  headers: preference,
  answers: { 200: picture, 204: picture },
} as const

/** Images of projects, tasks and jobs. */
export const frames = defineOperations('FrameService', {
  getTaskData: get('/tasks/:id/data', {
    params: idParams,
    query: dataQuery,
    answers: { 200: pictures, 206: pictures },
    summary:
      'A frame of a task in full or as a preview, a chunk of frames, or the context images of a frame',
  }),
  getJobData: get('/jobs/:id/data', {
    params: idParams,
    query: jobDataQuery,
    answers: { 200: pictures, 206: pictures },
    summary:
      'Same for a job; frames have the numbers of the task, chunks are selected by number or by index',
  }),
  getProjectPreview: get('/projects/:id/preview', preview),
  getTaskPreview: get('/tasks/:id/preview', preview),
  getCloudStoragePreview: get('/cloudstorages/:id/preview', {
    params: idParams,
    within: 60,
    answers: { 200: picture },
    summary: 'Preview of the first image of a connected bucket',
  }),
  getJobPreview: get('/jobs/:id/preview', preview),
})
