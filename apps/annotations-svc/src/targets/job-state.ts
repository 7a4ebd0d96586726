import type { AnnotationSetRow } from '../db/schema.ts'
import type { AnnotationTarget } from './target.ts'

/** State of a job: its object counts, and the labels revisions of its objects and of its own revision. */
export type JobState = Pick<
  AnnotationSetRow,
  'revision' | 'labels_revision' | 'labels_noted' | 'tags' | 'shapes' | 'tracks'
>

type Labelled = Omit<JobState, 'revision'>

export const objectsIn = ({ tags, shapes, tracks }: Labelled) => tags + shapes + tracks

/** Returns the newest labels revision for which the revision of the job was raised. */
export const notedOf = ({ labels_noted, labels_revision }: Labelled) =>
  Math.max(labels_noted, labels_revision)

/** Returns whether the current labels may change how objects of the job read, without a new revision so far. */
export const hasNewerLabels = ({ labels_revision }: AnnotationTarget, job: Labelled) =>
  objectsIn(job) > 0 && notedOf(job) < labels_revision

/** Returns whether the job has rows that were stored under other labels than the current ones. */
export const isStale = ({ labels_revision }: AnnotationTarget, job: Labelled) =>
  objectsIn(job) > 0 && job.labels_revision !== labels_revision
