import type { Facts } from '@reticle/contracts/rest/facts'
import type { Project } from '@reticle/contracts/rest/projects'
import { stepOf } from '@reticle/contracts/rest/sources'
import type { Task } from '@reticle/contracts/rest/tasks'
import type { BasicUser } from '@reticle/contracts/rest/users'
import type { ItemFrame } from '@reticle/formats/model/dataset'
import type { RecordDetails, TaskDetails, UserDetails } from '@reticle/formats/model/task-details'
import { type CallContext, DomainError } from '@reticle/kit'
import type { OperationServices } from '../operations/operation.ts'

/** Facts about the project, task or job that exported files contain, limited to what the caller may read. */

type Services = Pick<OperationServices, 'tasks' | 'jobs' | 'media'>

/** Returns the facts of a task, or of a job whose task the caller may not view. */
export async function aboutPart(
  facts: Facts,
  first: ItemFrame | undefined,
  services: Services,
  context: CallContext,
): Promise<TaskDetails> {
  const { target, task_id, job_id, size, jobs } = facts
  const media = await services.media.getMediaFacts({ task_id: task_id ?? 0 }, context)
  const task = await findTask(task_id ?? 0, services, context)
  const job =
    target === 'job' ? await services.jobs.getJob({ id: job_id ?? 0 }, context) : undefined
  const { start_frame: origin, frame_filter, video_name: name } = media
  const step = stepOf(frame_filter)
  const { width = 0, height = 0 } = first ?? {}
  return {
    ...described({ ...nothing, ...task, ...job, owner: task?.owner ?? null }, context),
    name: task?.name ?? '',
    size: target === 'job' ? framesOfJob(facts) : size,
    mode: (job ?? task)?.mode === 'interpolation' ? 'interpolation' : 'annotation',
    overlap: task?.overlap ?? 0,
    frame_filter,
    origin,
    step,
    start_frame: origin + (job?.start_frame ?? 0) * step,
    stop_frame: origin + (job?.stop_frame ?? size - 1) * step,
    segments: jobs.map((range) => ({ ...range, url: `/api/jobs/${range.id}` })),
    ...(name !== null && { video: { name, width, height } }),
  }
}

/** Number of frames of a ground truth job, else of the range of the jobs. */
const framesOfJob = ({ jobs, frames }: Facts) =>
  frames.length ||
  jobs.reduce((count, { start_frame, stop_frame }) => count + stop_frame - start_frame + 1, 0)

const nothing = {
  id: 0,
  name: '',
  bug_tracker: '',
  created_date: '',
  updated_date: '',
  owner: null,
  assignee: null,
}

export const aboutProject = (project: Project, context: CallContext): RecordDetails =>
  described(project, context)

async function findTask(
  id: number,
  { tasks }: Services,
  context: CallContext,
): Promise<Task | undefined> {
  return tasks.getTask({ id }, context).catch((thrown) => {
    if (thrown instanceof DomainError && thrown.kind === 'forbidden') return undefined
    throw thrown
  })
}

type Record = Pick<Task, 'id' | 'name' | 'bug_tracker' | 'created_date' | 'updated_date'> & {
  owner: BasicUser | null
  assignee: BasicUser | null
}

function described(record: Record, context: CallContext): RecordDetails {
  const { id, name, bug_tracker, created_date, updated_date, owner, assignee } = record
  return {
    id,
    name,
    bug_tracker,
    created_date,
    updated_date,
    owner: personOf(owner, context),
    assignee: personOf(assignee, context),
  }
}

/** Returns a user without the email address, unless it is the caller. */
function personOf(user: BasicUser | null, { principal }: CallContext): UserDetails | null {
  const email = user?.id === principal?.user_id ? (principal?.email ?? '') : ''
  return user && { username: user.username, email }
}
