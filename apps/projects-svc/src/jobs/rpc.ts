import type { jobs } from '@reticle/contracts/api/jobs'
import { jobDeleted, jobUpdated } from '@reticle/contracts/events/tasks'
import type { Principal } from '@reticle/contracts/principal'
import type { JobPatch } from '@reticle/contracts/rest/jobs'
import { invalidText, notFound, type Service, signedIn } from '@reticle/kit'
import { runChange } from '@reticle/kit/db/change'
import { assertMatches } from '@reticle/kit/etag'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import { assertPermitted } from '@reticle/kit/policy'
import type { Kysely, Transaction } from 'kysely'
import { changesTo, fieldsBefore, isEmpty } from '../changes.ts'
import type { JobRow, ProjectsDb } from '../db/schema.ts'
import { createGroundTruth } from '../ground-truth/create.ts'
import { allowPatch } from '../patch-rights.ts'
import { checkPeople } from '../people.ts'
import { jobStanding } from '../standing.ts'
import { withTaskFollowing } from '../tasks/follow-jobs.ts'
import { readAssignee } from './assignee.ts'
import { listJobs } from './list.ts'
import { shownJob } from './messages.ts'
import { jobRules } from './policy.ts'
import { jobRecord, jobRecords } from './records.ts'
import { deleteJob, findJob, type JobView, lockJob, updateJobs } from './repo.ts'
import { jobStatus } from './status.ts'

type Tx = Transaction<ProjectsDb>
type Handlers = Omit<Service<typeof jobs>, 'getJobValidationLayout'>

/** Action behind each key of a PATCH. */
const rights = {
  assignee: 'update:assignee',
  assignee_id: 'update:assignee',
  stage: 'update:stage',
  state: 'update:state',
} as const satisfies Record<keyof JobPatch, string>

/** Builds the handlers of annotation jobs. */
export function jobHandlers({ db }: { db: Kysely<ProjectsDb> }): Handlers {
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

    async createJob({ body }, context) {
      const principal = signedIn(context)
      return runChange(db, context, async (tx) => {
        const { row, record } = await createGroundTruth(tx, principal, body, context)
        return shownJob(principal, row, record)
      })
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
        await emit(tx, jobDeleted, { job: await jobRecord(tx, row) }, context)
        const without = { validation_mode: null }
        await withTaskFollowing(tx, row.task_id, () => deleteJob(tx, id), context, without)
      })
    },
  }
}

/** Changes a locked job and the status of its task. */
export function changeJob(tx: Tx, row: JobView, changes: Partial<JobRow>, cause: EventCause) {
  const change = async () => {
    const before = await jobRecord(tx, row)
    await updateJobs(tx, [row.id], changes)
    const changed = (await findJob(tx, row.id)) ?? row
    const record = await jobRecord(tx, changed)
    const before_update = fieldsBefore(before, record)
    await emit(tx, jobUpdated, { job: record, before_update }, cause)
    return { row: changed, record }
  }
  return withTaskFollowing(tx, row.task_id, change, cause)
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
