import type { RevisionAction } from '@reticle/contracts/rest/history'
import type { EventCause } from '@reticle/kit/outbox/emit'
import type { AnnotationsSettings } from '../config.ts'

/** Reason of a change of jobs, for the history. */
export interface ChangeReason {
  action: RevisionAction
  cause: Pick<EventCause, 'principal'> & { request_id: string | null }
  /** Id of the background request that the write is part of. */
  rq_id?: string | undefined
}

/**
 * Returns the reason of a change by labels; undefined without history. @param cause absent: noticed without an event
 */
export const byLabels = (
  { historyDays }: Pick<AnnotationsSettings, 'historyDays'>,
  cause: ChangeReason['cause'] = { principal: null, request_id: null },
): ChangeReason | undefined => (historyDays > 0 ? { action: 'label_change', cause } : undefined)

const recordColumns = `task_id, job_id, revision, generation, replaced_generation, labels_revision,
  created_ids, created_date, author_id, action, created, updated, deleted, request_id, rq_id, has_before`

/**
 * Returns SQL that records the rows of `changed` (`updateJobs`) as revisions in the same statement. Uses the clock at
 * the time of the lock, so that dates are in the order of revisions.
 *
 * @param first number of the first parameter
 */
export function recordRevisions(
  { action, cause: { principal, request_id }, rq_id }: ChangeReason,
  first: number,
) {
  const at = (index: number) => `$${first + index}`
  const author = principal
    ? [principal.user_id, principal.username, principal.first_name, principal.last_name]
    : []
  const known = `known as (insert into authors (id, username, first_name, last_name)
    values (${[3, 4, 5, 6].map(at)}) on conflict (id) do nothing),`
  const text = `${principal ? known : ''} recorded as (
    insert into revisions (${recordColumns})
    select task_id, job_id, revision, generation, case when written is not null and had > 0 then was end,
      labels_revision, created_ids, clock_timestamp(), ${principal ? at(3) : 'null'}::int, ${at(0)},
      created, updated, deleted, ${at(1)}::text, ${at(2)}::text, updated + deleted > 0
    from changed)`
  const values = [action, rq_id === undefined ? request_id : null, rq_id ?? null, ...author]
  return { text, values }
}
