import { job } from '@reticle/contracts/dialects/cvat/records'
import { type Change, pageAnswer, recordAnswer, type Translations } from '../dialect.ts'

/** Adds the number of frames hidden in every job, which is always null. */
const layout: Change = (record) => ({ frames_per_job_count: null, ...record })

export const jobs: Translations = {
  listJobs: pageAnswer(job),
  createJob: recordAnswer(job),
  getJob: recordAnswer(job),
  updateJob: recordAnswer(job),
  getTaskValidationLayout: recordAnswer(layout),
  updateTaskValidationLayout: recordAnswer(layout),
}
