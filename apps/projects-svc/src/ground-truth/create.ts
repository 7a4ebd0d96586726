import { jobCreated } from '@reticle/contracts/events/tasks'
import type { Job, JobCreate } from '@reticle/contracts/rest/jobs'
import type { Principal } from '@reticle/contracts/rest/principal'
import { invalid, invalidText } from '@reticle/kit/call/errors'
import { assertPermitted } from '@reticle/kit/call/policy'
import { type EventCause, emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import { taskStanding } from '../access/standing.ts'
import { taskRules } from '../access/task-policy.ts'
import { noSuchObject } from '../bodies/field-error.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { readAssignee } from '../jobs/assignee.ts'
import { jobRecord } from '../jobs/records.ts'
import { findJob, type JobView } from '../jobs/repo.ts'
import { checkPeople } from '../organizations/index.ts'
import { withTaskFollowing } from '../tasks/follow-jobs.ts'
import { noDataText } from '../tasks/messages.ts'
import { lockTask } from '../tasks/repo.ts'
import { insertGroundTruth, listAnnotationRanges, type NewGroundTruth } from './repo.ts'
import { selectFrames } from './select.ts'

type Tx = Transaction<ProjectsDb>

/**
 * Creates the ground-truth job of a task and emits its `create:job` event. A missing task is a 400; a caller who may
 * not view the task or create jobs in it gets a 403.
 */
export async function createGroundTruth(
  tx: Tx,
  principal: Principal,
  body: JobCreate,
  cause: EventCause,
): Promise<{ row: JobView; record: Job }> {
  const { task_id } = body
  const task = await lockTask(tx, task_id)
  if (!task) throw invalid({ task_id: noSuchObject(task_id) })
  const standing = taskStanding(principal, task)
  assertPermitted(taskRules, 'view', principal, standing)
  assertPermitted(taskRules, 'create:job', principal, standing)
  const { field, id: assignee_id = null } = readAssignee(body)
  await checkPeople(tx, principal, { [field]: assignee_id }, task.organization_id)
  const { size } = task
  if (size === 0) throw invalidText(noDataText)
  if (task.validation_mode !== null)
    throw invalidText('A task can have one ground truth job, and this one has it already')
  const jobs = await listAnnotationRanges(tx, task_id)
  const frames = selectFrames(body, { size, jobs })
  return addGroundTruth(tx, { task_id, size, frames, assignee_id }, cause)
}

function addGroundTruth(tx: Tx, wanted: NewGroundTruth, cause: EventCause) {
  const add = async () => {
    const id = await insertGroundTruth(tx, wanted)
    const row = await findJob(tx, id)
    if (!row) throw new Error(`job ${id} was not inserted`)
    const record = await jobRecord(tx, row)
    await emit(tx, jobCreated, { job: record }, cause)
    return { row, record }
  }
  return withTaskFollowing(tx, wanted.task_id, add, cause, { validation_mode: 'gt' })
}
