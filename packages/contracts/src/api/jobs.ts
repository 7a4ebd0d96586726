import { idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { job, jobCreate, jobList, jobPatch } from '../rest/jobs.ts'
import { jobValidationLayout } from '../rest/validation.ts'
import { defineOperations, del, get, patch, post } from './operation.ts'

export const jobs = defineOperations('JobService', {
  listJobs: get('/jobs', { query: jobList, answers: { 200: page(job, 'JobPage') } }),
  createJob: post('/jobs', {
    body: jobCreate,
    etag: 'revision',
    answers: { 201: job },
    summary: 'Create a ground-truth job on selected frames of a task',
  }),
  getJob: get('/jobs/:id', { params: idParams, etag: 'revision', answers: { 200: job } }),
  updateJob: patch('/jobs/:id', {
    params: idParams,
    headers: ifMatch,
    body: jobPatch,
    etag: 'revision',
    answers: { 200: job },
  }),
  deleteJob: del('/jobs/:id', { params: idParams, headers: ifMatch, answers: { 204: nothing } }),
  getJobValidationLayout: get('/jobs/:id/validation_layout', {
    params: idParams,
    answers: { 200: jobValidationLayout },
  }),
})
