import { type Change, pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { withKnownFields } from './known-fields.ts'
import { originalChunks } from './videos.ts'

/** In CVAT the bug tracker of a job is that of its task or project, or null. */
const job = withKnownFields('job', ({ bug_tracker, ...record }) => ({
  ...record,
  ...originalChunks(record),
  bug_tracker: bug_tracker === '' && record.project_id === null ? null : bug_tracker,
}))

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
