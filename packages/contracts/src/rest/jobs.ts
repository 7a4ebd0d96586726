import { z } from 'zod'
import { integer, link, timestamp } from './common.ts'
import { listFields, listOf } from './lists.ts'
import { statuses } from './projects.ts'
import { storage } from './storage.ts'
import { basicUser } from './users.ts'
import { checkSelection, frameSelection } from './validation.ts'

/** Annotation jobs. See docs/spec/workspace.md#jobs. */

export const stages = ['annotation', 'validation', 'acceptance'] as const
export const states = ['new', 'in progress', 'completed', 'rejected'] as const
export const jobTypes = ['annotation', 'ground_truth', 'consensus_replica'] as const

export const job = z
  .object({
    url: link,
    id: z.int(),
    task_id: z.int(),
    task_name: z.string().nullable(),
    project_id: z.int().nullable(),
    project_name: z.string().nullable(),
    assignee: basicUser.nullable(),
    assignee_updated_date: timestamp.nullable(),
    guide_id: z.int().nullable(),
    dimension: z.enum(['2d', '3d']),
    mode: z.enum(['annotation', 'interpolation', '']),
    media_type: z.enum(['image', 'point_cloud', '']),
    bug_tracker: z.string(),
    status: z.enum(statuses),
    stage: z.enum(stages),
    state: z.enum(states),
    type: z.enum(jobTypes),
    frame_count: z.int(),
    /** Frame range, task-relative and inclusive. */
    start_frame: z.int(),
    stop_frame: z.int(),
    data_chunk_size: z.int(),
    data_compressed_chunk_type: z.enum(['imageset', 'video']),
    data_original_chunk_type: z.enum(['imageset', 'video']),
    created_date: timestamp,
    updated_date: timestamp,
    /** Increased by every change of the record itself, but not by changes of its children. */
    revision: z.int().optional(),
    issues: z.object({ url: link, count: z.int() }).meta({ id: 'IssuesSummary' }),
    labels: z.object({ url: link }).meta({ id: 'LabelsSummary' }),
    organization: z.int().nullable(),
    source_storage: storage.nullable(),
    target_storage: storage.nullable(),
    parent_job_id: z.int().nullable(),
    replicas_count: z.int(),
    /** The same number under its old name. */
    consensus_replicas: z.int(),
  })
  .meta({ id: 'Job' })

/** Only ground-truth jobs are created by clients; all others result from splitting the media. */
export const jobCreate = z
  .object({
    type: z.enum(['ground_truth']),
    task_id: integer,
    assignee: integer.nullish(),
    assignee_id: integer.nullish(),
    ...frameSelection,
  })
  .superRefine(checkSelection)
  .meta({ id: 'JobCreate' })

/** The key is `assignee` for writing as well; `assignee_id` has the same meaning. */
export const jobPatch = z
  .object({
    assignee: integer.nullable(),
    assignee_id: integer.nullable(),
    stage: z.enum(stages),
    state: z.enum(states),
  })
  .partial()
  .strict()
  .meta({ id: 'JobPatch' })

/** Fields of the list of jobs. */
export const jobFields = listFields({
  equal: {
    id: 'integer',
    task_id: 'integer',
    project_id: 'integer',
    task_name: 'text',
    project_name: 'text',
    assignee: 'text',
    state: states,
    stage: stages,
    type: jobTypes,
    parent_job_id: 'integer',
    dimension: ['2d', '3d'],
    mode: ['annotation', 'interpolation'],
  },
  more: { created_date: 'date', updated_date: 'date', frame_count: 'integer' },
  search: ['task_name', 'project_name', 'assignee', 'state', 'stage'],
  unsorted: ['frame_count'],
  order: '-id',
})
export const jobList = listOf(jobFields)

export type Job = z.infer<typeof job>
export type JobCreate = z.infer<typeof jobCreate>
export type JobPatch = z.infer<typeof jobPatch>
