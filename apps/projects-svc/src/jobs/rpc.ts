import type { jobs } from '@reticle/contracts/api/jobs'
import type { Job, JobPatch } from '@reticle/contracts/rest/jobs'
import type { Principal } from '@reticle/contracts/rest/principal'
import { invalidText, notFound, type Service, signedIn } from '@reticle/kit'
import { assertMatches } from '@reticle/kit/call/etag'
import { assertPermitted } from '@reticle/kit/call/policy'
import { runChange } from '@reticle/kit/db/change'
import type { EventCause } from '@reticle/kit/outbox/emit'
import type { Kysely, Transaction } from 'kysely'
import { jobRules } from '../access/job-policy.ts'
import { allowPatch } from '../access/patch-rights.ts'
import { jobStanding } from '../access/standing.ts'
import { changesTo, isEmpty } from '../bodies/changes.ts'
import type { JobRow, ProjectsDb } from '../db/schema.ts'
import { checkPeople } from '../organizations/index.ts'
import { readAssignee } from './assignee.ts'
import { listJobs } from './list.ts'
import { shownJob } from './messages.ts'
import { jobRecord, jobRecords } from './records.ts'
import { findJob, type JobView, lockJob } from './repo.ts'
import { jobStatus } from './status.ts'

type Tx = Transaction<ProjectsDb>
type Handlers = Omit<Service<typeof jobs>, 'createJob' | 'getJobValidationLayout'>

/** Functions of tasks that jobs need. They are passed in, because tasks import this folder. */
export interface JobDeps {
  db: Kysely<ProjectsDb>
  /** Changes a locked job and the status of its task. */
  changeJob(
    tx: Tx,
    row: JobView,
    changes: Partial<JobRow>,
    cause: EventCause,
  ): Promise<{ row: JobView; record: Job }>
  /** Deletes a locked ground-truth job and updates its task. */
  removeGroundTruth(tx: Tx, row: JobView, cause: EventCause): Promise<void>
}

/** Action behind each key of a PATCH. */
const rights = {
  assignee: 'update:assignee',
  assignee_id: 'update:assignee',
  stage: 'update:stage',
  state: 'update:state',
} as const satisfies Record<keyof JobPatch, string>

/** Builds the handlers of annotation jobs. Ground-truth jobs are created in `ground-truth/`. */
export function jobHandlers({ db, changeJob, removeGroundTruth }: JobDeps): Handlers {
  return {
    async listJobs(query, context) {
      const principal = signedIn(context)
      const { count, results } = await listJobs(db, principal, query)
      const records = await jobRecords(db, results)
      const shown = results.flatMap((row, index) => {
        const record = records[index]
        return record ? [shownJob(principal, row, record)] : []
      })
      return { count, results: shown }
    },

    async getJob({ id }, context) {
      const principal = signedIn(context)
      const row = await findJob(db, id)
      if (!row) throw notFound()
      assertPermitted(jobRules, 'view', principal, jobStanding(principal, row))
      return shownJob(principal, row, await jobRecord(db, row))
    },

    async updateJob({ id, body, if_match }, context) {
      const principal = signedIn(context)
      return runChange(db, { ...context, row: `job:${id}` }, async (tx) => {
        const row = await lockJob(tx, id)
        if (!row) throw notFound()
        allowPatch(jobRules, rights, body, principal, jobStanding(principal, row))
        const changes = await planChange(tx, principal, row, body)
        assertMatches(if_match, row)
        if (isEmpty(changes)) return shownJob(principal, row, await jobRecord(tx, row))
        const changed = await changeJob(tx, row, changes, context)
        return shownJob(principal, changed.row, changed.record)
      })
    },

    async deleteJob({ id, if_match }, context) {
      const principal = signedIn(context)
      await runChange(db, { ...context, row: `job:${id}` }, async (tx) => {
        const row = await lockJob(tx, id)
        if (!row) throw notFound()
        assertPermitted(jobRules, 'delete', principal, jobStanding(principal, row))
        if (row.type !== 'ground_truth') throw invalidText('Only ground truth jobs can be removed')
        assertMatches(if_match, row)
        await removeGroundTruth(tx, row, context)
      })
    },
  }
}

/**
 * Plans the changes of a PATCH. A new stage without a state resets the state to `new`; the status follows from both.
 */
async function planChange(
  tx: Tx,
  principal: Principal,
  row: JobView,
  body: JobPatch,
): Promise<Partial<JobRow>> {
  const { field, id: assignee_id } = readAssignee(body)
  const isMoved = body.stage !== undefined && body.stage !== row.stage
  const { stage = row.stage, state = isMoved ? 'new' : row.state } = body
  const wanted = { assignee_id, stage, state, status: jobStatus({ stage, state }) }
  const changes = changesTo<Partial<JobRow>>(row, wanted)
  await checkPeople(tx, principal, { [field]: changes.assignee_id }, row.organization_id)
  if (changes.assignee_id !== undefined) changes.assignee_updated_date = new Date()
  return changes
}
