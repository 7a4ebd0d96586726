import { z } from 'zod'
import { integer, link, text, timestamp } from './common.ts'
import { label, labelWrite } from './labels.ts'
import { listFields, listOf } from './lists.ts'
import { bugTracker } from './projects.ts'
import { storage, storageWrite } from './storage.ts'
import { basicUser } from './users.ts'

/** Tasks. See docs/spec/workspace.md#tasks. */

export const taskStatuses = ['new', 'annotation', 'validation', 'completed'] as const
const chunkType = z.enum(['imageset', 'video'])

export const task = z
  .object({
    url: link,
    id: z.int(),
    name: z.string(),
    project_id: z.int().nullable(),
    project_name: z.string().nullable(),
    owner: basicUser.nullable(),
    assignee: basicUser.nullable(),
    assignee_updated_date: timestamp.nullable(),
    status: z.enum(taskStatuses),
    /** Number of frames; 0 before media is attached. */
    size: z.int(),
    mode: z.enum(['annotation', 'interpolation', '']),
    dimension: z.enum(['2d', '3d']),
    media_type: z.enum(['image', 'point_cloud', '']),
    subset: z.string(),
    bug_tracker: z.string(),
    /** Number of frames that neighbouring jobs share; if chosen automatically, null until media is attached. */
    overlap: z.int().nullable(),
    segment_size: z.int(),
    /** Id of the dataset; null before media is attached. The following fields are then absent. */
    data: z.int().nullable(),
    data_chunk_size: z.int().optional(),
    data_compressed_chunk_type: chunkType.optional(),
    data_original_chunk_type: chunkType.optional(),
    data_cloud_storage_id: z.int().nullable().optional(),
    image_quality: z.int().optional(),
    guide_id: z.int().nullable(),
    created_date: timestamp,
    updated_date: timestamp,
    /** Increased by every change of the record itself, but not by changes of its children. */
    revision: z.int().optional(),
    organization: z.int().nullable(),
    organization_id: z.int().nullable(),
    source_storage: storage.nullable(),
    target_storage: storage.nullable(),
    jobs: z
      .object({ count: z.int(), completed: z.int(), validation: z.int(), url: link })
      .meta({ id: 'JobsSummary' }),
    labels: z.array(label),
    validation_mode: z.enum(['gt', 'gt_pool']).nullable(),
    consensus_enabled: z.boolean(),
  })
  .meta({ id: 'Task' })

const writable = {
  name: text(256, 1),
  project_id: integer.nullable(),
  owner_id: integer.nullable(),
  assignee_id: integer.nullable(),
  labels: z.array(labelWrite),
  bug_tracker: bugTracker,
  subset: text(64),
  source_storage: storageWrite,
  target_storage: storageWrite,
}

const notNegative = integer.refine((given) => given >= 0, {
  error: 'Ensure this value is greater than or equal to 0.',
})

export const taskCreate = z
  .object({
    ...writable,
    overlap: notNegative.nullable(),
    segment_size: notNegative,
    /** Number of copies of every job for other annotators; 0 for none. */
    consensus_replicas: notNegative,
  })
  .partial()
  .required({ name: true })
  .meta({ id: 'TaskCreate' })

export const taskPatch = z
  .object({
    ...writable,
    /** Another workspace, to which the task moves; null is the personal workspace of the caller. */
    organization_id: integer.nullable(),
  })
  .partial()
  .strict()
  .meta({ id: 'TaskPatch' })

/** Fields of the list of tasks. */
export const taskFields = listFields({
  equal: {
    id: 'integer',
    project_id: 'integer',
    project_name: 'text',
    name: 'text',
    owner: 'text',
    assignee: 'text',
    status: taskStatuses,
    subset: 'text',
    mode: ['annotation', 'interpolation'],
    dimension: ['2d', '3d'],
    tracker_link: 'text',
    validation_mode: ['gt', 'gt_pool'],
  },
  more: { created_date: 'date', updated_date: 'date', size: 'integer' },
  search: [
    'project_name',
    'name',
    'owner',
    'status',
    'assignee',
    'subset',
    'mode',
    'dimension',
    'tracker_link',
    'validation_mode',
  ],
  unsorted: ['size'],
  order: '-id',
})
export const taskList = listOf(taskFields)

export type Task = z.infer<typeof task>
export type TaskCreate = z.infer<typeof taskCreate>
export type TaskPatch = z.infer<typeof taskPatch>
