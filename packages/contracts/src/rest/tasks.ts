import { z } from 'zod'
import { integer, link, text, timestamp } from './common.ts'
import { label, labelWrite } from './labels.ts'
import { listFields, listOf } from './lists.ts'
import { bugTracker } from './projects.ts'
import { storage, storageWrite } from './storage.ts'
import { basicUser } from './users.ts'

/** Tasks: `spec/api-workspace.md` 4.4. */

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
    /** Frames; 0 before media is attached. */
    size: z.int(),
    mode: z.enum(['annotation', 'interpolation', '']),
    dimension: z.enum(['2d', '3d']),
    media_type: z.enum(['image', 'point_cloud', '']),
    subset: z.string(),
    bug_tracker: z.string(),
    /** Frames that neighbouring jobs share; null until media is attached when chosen automatically. */
    overlap: z.int().nullable(),
    segment_size: z.int(),
    /** The data set; null before media is attached, like the fields below it. */
    data: z.int().nullable(),
    data_chunk_size: z.int().optional(),
    data_compressed_chunk_type: chunkType.optional(),
    data_original_chunk_type: chunkType.optional(),
    data_cloud_storage_id: z.int().nullable().optional(),
    image_quality: z.int().optional(),
    guide_id: z.int().nullable(),
    created_date: timestamp,
    updated_date: timestamp,
    /** Moves with every change of the record itself, and not with a change of what belongs to it. */
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
    /** Copies of every job, each for another annotator; 0: none. */
    consensus_replicas: notNegative,
  })
  .partial()
  .required({ name: true })
  .meta({ id: 'TaskCreate' })

export const taskPatch = z
  .object({
    ...writable,
    /** Another workspace, null being one's own: the task moves (`spec/api-workspace.md` 3.4). */
    organization_id: integer.nullable(),
  })
  .partial()
  .strict()
  .meta({ id: 'TaskPatch' })

/** `spec/api-workspace.md` 1.7. */
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
