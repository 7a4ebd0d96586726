import type { BackupJob, BackupTask } from '@reticle/contracts/rest/backups'
import { invalidText } from '@reticle/kit'
import type { Transaction } from 'kysely'
import type { JobRow, ProjectsDb } from '../db/schema.ts'
import { insertGroundTruth, setDisabledFrames } from '../ground-truth/repo.ts'
import { updateJobs } from '../jobs/repo.ts'
import { jobStatus } from '../jobs/status.ts'
import type { Media } from '../media/attach.ts'
import { setDeletedFrames } from '../media/repo.ts'
import { listOwnJobs } from './repo.ts'

type Tx = Transaction<ProjectsDb>

const isOf = (type: BackupJob['type']) => (job: Pick<BackupJob, 'type'>) => job.type === type

/**
 * Derives how the frames of a task are split into jobs from its first two jobs (`docs/spec/workspace.md#backups`).
 *
 * @throws DomainError invalid for a task without jobs, or whose jobs have different numbers of replicas
 */
export function splitOf({
  jobs,
  has_custom_segments,
}: Pick<BackupTask, 'jobs' | 'has_custom_segments'>): {
  split: NonNullable<Media['split']>
  consensus_replicas: number
} {
  const ranges = jobs.filter(isOf('annotation'))
  const [first, second] = ranges
  if (!first) throw invalidText('jobs: at least one annotation job is needed')
  const copies = jobs.filter(isOf('consensus_replica')).length
  if (copies % ranges.length > 0)
    throw invalidText(`jobs: there are ${copies} copies of ${ranges.length} jobs`)
  const shared = second ? first.stop_frame - second.start_frame + 1 : 0
  const size = first.stop_frame - first.start_frame + 1
  const usual = { segment_size: size, overlap: Math.max(shared, 0) }
  const custom = { segment_size: 0, overlap: 0 }
  return {
    split: { ...(has_custom_segments ? custom : usual), jobs: ranges.length, ranges },
    consensus_replicas: copies / ranges.length,
  }
}

interface Arranged {
  id: number
  /** Number of frames of the restored task. */
  size: number
  task: BackupTask
}

/**
 * Sets the stage and state of new jobs from the backup, and adds ground truth and deleted frames.
 *
 * @returns ids of the jobs, in the order of the backup
 * @throws DomainError invalid for jobs that do not fit the frames
 */
export async function arrangeJobs(tx: Tx, { id, size, task }: Arranged): Promise<number[]> {
  const { jobs, data } = task
  assertShared(jobs.filter(isOf('annotation')), size)
  await addTruth(tx, id, size, jobs.filter(isOf('ground_truth')))
  const deleted = new Set(data.deleted_frames.filter((frame) => frame >= 0 && frame < size))
  await setDeletedFrames(
    tx,
    id,
    [...deleted].sort((one, other) => one - other),
  )
  const ids = idsOf(jobs, await listOwnJobs(tx, id))
  for (const [state, of] of byState(jobs, ids)) await updateJobs(tx, of, columnsOf(state))
  return ids
}

/** Checks that every frame is in a job, and that both ends of the jobs ascend. */
function assertShared(jobs: readonly BackupJob[], size: number): void {
  let [from, to] = [-1, -1]
  for (const { start_frame, stop_frame } of jobs) {
    const follows = start_frame > from && start_frame <= to + 1 && stop_frame > to
    if (!follows || stop_frame < start_frame) throw notShared(size)
    from = start_frame
    to = stop_frame
  }
  if (jobs[0]?.start_frame !== 0 || to !== size - 1) throw notShared(size)
}

const notShared = (size: number) =>
  invalidText(`jobs: they do not share out the ${size} frames that there are`)

async function addTruth(
  tx: Tx,
  task_id: number,
  size: number,
  [truth, second]: readonly BackupJob[],
): Promise<void> {
  if (second) throw invalidText('jobs: a task has one ground truth job')
  if (!truth) return
  const frames = [...new Set(truth.frames ?? [])]
  const outside = frames.find((frame) => frame < 0 || frame >= size)
  if (outside !== undefined) throw invalidText(`jobs: the frame ${outside} of ground truth is none`)
  if (frames.length === 0) throw invalidText('jobs: ground truth has frames')
  const id = await insertGroundTruth(tx, { task_id, size, frames, assignee_id: null })
  await setDisabledFrames(tx, id, truth.disabled_frames ?? [])
}

/** Replicas have the frame range of their original, so type and range identify a job. */
function idsOf(jobs: readonly BackupJob[], rows: readonly JobRow[]): number[] {
  const key = ({
    type,
    start_frame,
    stop_frame,
  }: Pick<JobRow, 'type' | 'start_frame' | 'stop_frame'>) =>
    type === 'ground_truth' ? type : `${type} ${start_frame} ${stop_frame}`
  const left = new Map<string, number[]>()
  for (const row of rows) left.set(key(row), [...(left.get(key(row)) ?? []), row.id])
  return jobs.map((job) => {
    const id = left.get(key(job))?.shift()
    if (id === undefined)
      throw invalidText(
        `jobs: none is copied ${job.start_frame} to ${job.stop_frame}, or not as often as others`,
      )
    return id
  })
}

type State = Pick<JobRow, 'stage' | 'state'>

const states: Record<BackupJob['status'], State> = {
  annotation: { stage: 'annotation', state: 'new' },
  validation: { stage: 'validation', state: 'new' },
  completed: { stage: 'acceptance', state: 'completed' },
}

function stateOf({ status, stage, state }: BackupJob): State {
  const usual = states[status]
  return { stage: stage ?? usual.stage, state: state ?? usual.state }
}

const columnsOf = (state: State) => ({ ...state, status: jobStatus(state) })

/** Groups job ids by state, so that each state needs one statement. */
function byState(jobs: readonly BackupJob[], ids: readonly number[]): [State, number[]][] {
  const groups = new Map<string, [State, number[]]>()
  for (const [place, job] of jobs.entries()) {
    const state = stateOf(job)
    const group = groups.get(JSON.stringify(state)) ?? [state, []]
    groups.set(JSON.stringify(state), group)
    group[1].push(ids[place] ?? 0)
  }
  return [...groups.values()]
}
