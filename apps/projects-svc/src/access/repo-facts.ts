import type { Facts } from '@reticle/contracts/rest/facts'
import { type Prepared, queryRows } from '@reticle/kit/db/prepared'
import type { Kysely } from 'kysely'
import type { ProjectsDb } from '../db/schema.ts'
import type { JobPeople, ProjectPeople, TaskPeople } from './standing.ts'

/** Project, task or job, by id. */
export type FactsTarget = Pick<Facts, 'target'> & { id: number }

/** Row of the facts of a target and of the people above it. */
export interface FactsRow
  extends Omit<Facts, 'target' | 'organization_role' | 'relations' | 'updated_date'>,
    ProjectPeople,
    TaskPeople,
    JobPeople {
  organization_id: number | null
  updated_date: Date
  /** Draft that the target belongs to while an import creates it. */
  draft_id: string | null
}

/**
 * Finds the facts of a target with one prepared statement, because every call about annotations, media or requests
 * begins with it.
 */
export async function findFacts(
  db: Kysely<ProjectsDb>,
  { target, id }: FactsTarget,
): Promise<FactsRow | undefined> {
  const [row] = await queryRows<FactsRow>(db, factsStatements[target], [id])
  return row
}

/** `changes`: statements that select rows of `label_changes`, each by an index. */
const labelEventsOf = (changes: readonly string[]) =>
  `(select coalesce(json_agg(event_id), '[]') from (${changes.join(' union all ')}) c) as label_events`
const changesOfProject = 'select event_id from label_changes where project_id = p.id'
const changesOfTask = 'select event_id from label_changes where task_id = t.id'
const changesOfItsTasks = `select event_id from label_changes c
  join tasks on tasks.id = c.task_id where tasks.project_id = p.id`

/** A task of a draft counts as a task of the user who creates it, in its future project. */
const ofTask = `t.name, t.id as task_id, p.id as project_id, t.draft_id,
  coalesce(t.organization_id, d.organization_id) as organization_id,
  coalesce(t.owner_id, d.owner_id) as task_owner_id, t.assignee_id as task_assignee_id,
  p.owner_id as project_owner_id, p.assignee_id as project_assignee_id,
  coalesce(d.labels_revision, p.labels_revision, t.labels_revision) as labels_revision,
  ${labelEventsOf([changesOfProject, changesOfTask])},
  t.size, t.dimension, t.subset`

const aboveTask = `left join drafts d on d.draft_id = t.draft_id
  left join projects p on p.id = coalesce(t.project_id, d.project_id)`

const rangeOf = (job: string) =>
  `json_build_object('id', ${job}.id, 'start_frame', ${job}.start_frame, 'stop_frame', ${job}.stop_frame)`

/** Frames are read only for ground truth, because every call about a job runs this statement. */
const framesOf = (job: string) => `case ${job}.type when 'ground_truth' then
    (select coalesce(json_agg(frame order by frame), '[]') from validation_frames
      where job_id = ${job}.id)
    else '[]' end`

/** Statements of the facts of a target by its id, `$1`. Longer statements include them. */
export const factsStatements: Record<Facts['target'], Prepared> = {
  project: {
    name: 'facts_of_project',
    text: `select p.name, p.id as project_id, null::int as task_id, null::int as job_id,
        coalesce(p.organization_id, d.organization_id) as organization_id, p.draft_id,
        coalesce(p.owner_id, d.owner_id) as owner_id, p.assignee_id,
        null::int as task_owner_id, null::int as task_assignee_id,
        coalesce(p.owner_id, d.owner_id) as project_owner_id,
        p.assignee_id as project_assignee_id, p.labels_revision,
        ${labelEventsOf([changesOfProject, changesOfItsTasks])},
        0 as size, '2d' as dimension, '' as subset, '[]'::json as frames,
        greatest(p.updated_date, (select max(updated_date) from tasks where project_id = p.id))
          as updated_date,
        '[]'::json as jobs
      from projects p left join drafts d on d.draft_id = p.draft_id where p.id = $1`,
  },
  task: {
    name: 'facts_of_task',
    text: `select null::int as job_id, ${ofTask},
        coalesce(t.owner_id, d.owner_id) as owner_id, t.assignee_id, t.updated_date, '[]'::json as frames,
        (select coalesce(json_agg(${rangeOf('j')} order by j.id), '[]') from jobs j
          where j.task_id = t.id and j.type = 'annotation') as jobs
      from tasks t ${aboveTask} where t.id = $1`,
  },
  job: {
    name: 'facts_of_job',
    text: `select j.id as job_id, ${ofTask},
        t.owner_id, j.assignee_id, j.updated_date, json_build_array(${rangeOf('j')}) as jobs,
        ${framesOf('j')} as frames
      from jobs j join tasks t on t.id = j.task_id ${aboveTask}
      where j.id = $1`,
  },
}
