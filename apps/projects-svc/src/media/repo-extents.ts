import type { media } from '@reticle/contracts/api/media'
import type { Extents, TaskExtent } from '@reticle/contracts/rest/facts'
import { notFound, type Service, signedIn } from '@reticle/kit'
import { type Kysely, sql } from 'kysely'
import { authorizeTarget } from '../access/authorize.ts'
import type { FactsRow } from '../access/repo-facts.ts'
import type { ProjectsDb } from '../db/schema.ts'
import { listDisabledFrames } from '../ground-truth/repo.ts'
import { findDataSet } from './repo.ts'

/** Builds the handlers that return frames, jobs and deleted frames to other services. */
export function extentHandlers({
  db,
}: {
  db: Kysely<ProjectsDb>
}): Pick<Service<typeof media>, 'listExtents' | 'getDeletedFrames' | 'getMediaFacts'> {
  return {
    async listExtents({ target, id, after }, context) {
      const row = await authorizeTarget(db, signedIn(context), { target, id }, 'view')
      return listExtents(db, row, after)
    },

    async getDeletedFrames({ task_id, job_id }) {
      const dataSet = await findDataSet(db, task_id)
      if (!dataSet) throw notFound()
      return { frames: await withDisabled(db, dataSet.deleted_frames, job_id ?? null) }
    },

    async getMediaFacts({ task_id }) {
      const dataSet = await findDataSet(db, task_id)
      if (!dataSet) throw notFound()
      const { start_frame, stop_frame, frame_filter, video_name } = dataSet
      return { start_frame, stop_frame, frame_filter, video_name }
    },
  }
}

/** Returns the deleted frames of a task and the disabled frames of a ground-truth job, ascending. */
async function withDisabled(
  db: Kysely<ProjectsDb>,
  deleted_frames: readonly number[],
  job_id: number | null,
): Promise<number[]> {
  const disabled = job_id === null ? [] : await listDisabledFrames(db, job_id)
  return [...new Set([...deleted_frames, ...disabled])].sort((one, other) => one - other)
}

const usualPage = 500

/**
 * Lists frames and jobs of a target that the caller may view. Of a project it lists the tasks with ids above `after`.
 *
 * @param most limit on tasks of a page
 */
export async function listExtents(
  db: Kysely<ProjectsDb>,
  { task_id, project_id, job_id, jobs, frames, labels_revision, label_events }: FactsRow,
  after = 0,
  most = usualPage,
): Promise<Extents> {
  const isOne = task_id !== null
  const inProject = sql`t.project_id = ${project_id} and t.id > ${after}`
  const found = await listTasks(db, isOne ? sql`t.id = ${task_id}` : inProject, most)
  const tasks: TaskExtent[] = []
  for (const { deleted_frames, ...task } of found) {
    const deleted = runsOf(await withDisabled(db, deleted_frames, job_id))
    const ownJobs = job_id === null ? task.jobs : jobs
    tasks.push({ ...task, frames: isOne ? frames : [], deleted, jobs: ownJobs })
  }
  const next = !isOne && tasks.length === most ? tasks.at(-1)?.task_id : undefined
  return { labels_revision, label_events, tasks, next: next ?? null }
}

type FoundTask = Pick<TaskExtent, 'task_id' | 'size' | 'dimension' | 'jobs'> & {
  deleted_frames: number[]
}

async function listTasks(db: Kysely<ProjectsDb>, where: ReturnType<typeof sql>, most: number) {
  const { rows } = await sql<FoundTask>`
    select t.id as task_id, t.size, t.dimension, coalesce(d.deleted_frames, '{}') as deleted_frames,
      (select coalesce(json_agg(json_build_object('id', j.id, 'start_frame', j.start_frame,
          'stop_frame', j.stop_frame) order by j.id), '[]')
        from jobs j where j.task_id = t.id and j.type = 'annotation') as jobs
    from tasks t left join data_sets d on d.task_id = t.id
    where ${where} order by t.id limit ${most}`.execute(db)
  return rows
}

/** @param frames ascending */
function runsOf(frames: readonly number[]): TaskExtent['deleted'] {
  const runs: TaskExtent['deleted'] = []
  for (const frame of frames) {
    const last = runs.at(-1)
    if (last?.stop === frame - 1) last.stop = frame
    else runs.push({ start: frame, stop: frame })
  }
  return runs
}
