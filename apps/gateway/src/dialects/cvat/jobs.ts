import { type Change, pageAnswer, recordAnswer, type Translations } from '../dialect.ts'
import { withKnownFields } from './known-fields.ts'
import { originalChunks } from './videos.ts'

/** There it is that of the task or of its project, or null where neither has one to give. */
const job = withKnownFields('job', ({ bug_tracker, ...record }) => ({
  ...record,
  ...originalChunks(record),
  bug_tracker: bug_tracker === '' && record.project_id === null ? null : bug_tracker,
}))

/** Frames hidden in every job: there are none. */
const layout: Change = (record) => ({ frames_per_job_count: null, ...record })

export const jobs: Translations = {
  listJobs: pageAnswer(job),
  createJob: recordAnswer(job),
  getJob: recordAnswer(job),
  updateJob: recordAnswer(job),
  getTaskValidationLayout: recordAnswer(layout),
  updateTaskValidationLayout: recordAnswer(layout),
}
