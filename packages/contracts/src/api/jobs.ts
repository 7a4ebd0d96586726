import { idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { job, jobList, jobPatch } from '../rest/jobs.ts'
import { del, get, operations, patch } from './operation.ts'

export const jobs = operations('JobService', {
  listJobs: get('/jobs', { query: jobList, answers: { 200: page(job, 'JobPage') } }),
  getJob: get('/jobs/:id', { params: idParams, answers: { 200: job } }),
  updateJob: patch('/jobs/:id', {
    params: idParams,
    headers: ifMatch,
    body: jobPatch,
    answers: { 200: job },
  }),
  deleteJob: del('/jobs/:id', { params: idParams, headers: ifMatch, answers: { 204: nothing } }),
})
