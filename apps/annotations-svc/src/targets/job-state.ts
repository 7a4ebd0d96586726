import type { JobRow } from '../db/schema.ts'
import type { Target } from './target.ts'

/** What is known of a job: how many objects it has, and which labels they and its revision are about. */
export type JobState = Pick<
  JobRow,
  'revision' | 'labels_revision' | 'labels_noted' | 'tags' | 'shapes' | 'tracks'
>

type Labelled = Omit<JobState, 'revision'>

export const objectsIn = ({ tags, shapes, tracks }: Labelled) => tags + shapes + tracks

/** The newest revision of the labels that the job's own revision was raised for. */
export const notedOf = ({ labels_noted, labels_revision }: Labelled) =>
  Math.max(labels_noted, labels_revision)

/** Whether the job has objects that today's labels may show otherwise than its revision promised. */
export const hasNewerLabels = ({ labels_revision }: Target, job: Labelled) =>
  objectsIn(job) > 0 && notedOf(job) < labels_revision

/** Whether the job has rows that were stored under other labels than today's. */
export const isStale = ({ labels_revision }: Target, job: Labelled) =>
  objectsIn(job) > 0 && job.labels_revision !== labels_revision
