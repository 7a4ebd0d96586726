import { z } from 'zod'
import { frameSpan, selection } from './annotation-query.ts'
import { filter, integer, link, number, queryFlag, text, timestamp } from './common.ts'
import { states } from './jobs.ts'
import { listFields, listOf } from './lists.ts'

/** Requests, which are background work. See docs/spec/requests.md#request-records. */

export const requestStatuses = ['queued', 'started', 'finished', 'failed'] as const

const counts = { tags: z.int(), shapes: z.int(), tracks: z.int() }

/** Report of objects that were read, skipped and changed, with reasons; at most 100 entries with 5 examples each. */
export const report = z
  .object({
    created: z.object(counts),
    skipped: z.int(),
    converted: z.int(),
    dropped: z.int(),
    entries: z.array(
      z.object({
        kind: z.string(),
        code: z.string(),
        count: z.int(),
        reason: z.string(),
        examples: z.array(z.object({ file: z.string(), item: z.string() })),
      }),
    ),
  })
  .meta({ id: 'Report' })

export const request = z
  .object({
    id: z.string(),
    status: z.enum(requestStatuses),
    message: z.string(),
    operation: z
      .object({
        type: z.string(),
        target: z.string(),
        project_id: z.int().nullable(),
        task_id: z.int().nullable(),
        job_id: z.int().nullable(),
        org_id: z.int().nullable(),
        format: z.string().nullable(),
        function_id: z.string().nullable(),
        lightweight: z.boolean().nullable(),
      })
      .meta({ id: 'RequestOperation' }),
    /** From 0 to 1. */
    progress: z.number(),
    /** Number of requests of the same workspace before it; null unless it is queued. */
    queue_position: z.int().nullable(),
    /** Estimated seconds until the end, from the progress so far; null until an estimate is possible. */
    eta_seconds: z.int().nullable(),
    bytes_done: z.int().nullable(),
    bytes_total: z.int().nullable(),
    /** Frames or files, depending on the work. */
    items_done: z.int().nullable(),
    items_total: z.int().nullable(),
    /** Number of attempts by workers, including the current one. */
    attempt: z.int(),
    created_date: timestamp,
    started_date: timestamp.nullable(),
    finished_date: timestamp.nullable(),
    expiry_date: timestamp.nullable(),
    owner: z.object({ id: z.int(), username: z.string() }).meta({ id: 'RequestOwner' }),
    result_url: link.nullable(),
    result_id: z.int().nullable(),
    report: report.nullable(),
  })
  .meta({ id: 'Request' })

/** Progress of the media of a task, for the endpoints that preceded `/requests`. */
export const taskStatus = z
  .object({
    state: z.enum(['Queued', 'Started', 'Finished', 'Failed']),
    message: z.string(),
    progress: z.number(),
  })
  .meta({ id: 'TaskMediaStatus' })

export const rqId = z.object({ rq_id: z.string() }).meta({ id: 'RqId' })
export const rqIdParams = z.object({ rq_id: z.string().min(1).max(255) })

/** Fields of the list of requests. */
export const requestFields = listFields({
  equal: {
    id: 'text',
    status: requestStatuses,
    action: ['export', 'import', 'create'],
    target: ['project', 'task', 'job', 'events'],
    subresource: ['annotations', 'dataset', 'backup'],
    format: 'text',
    project_id: 'integer',
    task_id: 'integer',
    job_id: 'integer',
    org_id: 'integer',
  },
  more: { created_date: 'date' },
  unsorted: ['id', 'target', 'subresource', 'format', 'project_id', 'task_id', 'job_id', 'org_id'],
  order: '-created_date',
})
/** Here `org` is a simple filter instead of a workspace: the slug of an organization, empty for none. */
export const requestList = listOf(requestFields)
  .omit({ search: true })
  .extend({ org: z.string().optional() })

/** Seconds to wait for the end, at most 30. */
export const waitQuery = z.object({ wait: integer.optional() })

/** Selection of the annotations of an export; without parameters, all of them. */
const exportSelection = {
  ...selection,
  only_annotated: queryFlag.default(false).meta({
    description:
      'Yes: only frames with a visible object, among the frames that are selected otherwise',
  }),
  job_state: filter(z.enum(states)).meta({ description: 'Only frames of jobs in this state' }),
  min_score: filter(number.pipe(z.number().min(0).max(1))).meta({
    description: 'Leaves out shapes with a lower score; tags and tracks have no score and are kept',
  }),
}

/** The same selection as stored with a request. */
export const exported = z.object({
  frames: z.array(frameSpan),
  label_id: z.array(z.int()),
  only_annotated: z.boolean(),
  job_state: z.enum(states).optional(),
  min_score: z.number().optional(),
})

/** Query of an export; the service validates location and format. */
export const exportQuery = z.object({
  ...exportSelection,
  format: z.string().optional(),
  filename: z.string().optional(),
  save_images: queryFlag.default(false),
  location: z.string().optional(),
  cloud_storage_id: integer.optional(),
})

export const importModes = ['replace', 'append', 'merge'] as const

/** Parameter of all imports. See docs/spec/requests.md#dry-runs-and-merges. */
export const dryRun = queryFlag.default(false).meta({
  description: 'Yes: a dry run, which reports the result and stores nothing',
})

export const importQuery = z.object({
  format: z.string().optional(),
  filename: z.string().optional(),
  location: z.string().optional(),
  cloud_storage_id: integer.optional(),
  conv_mask_to_poly: queryFlag.optional().meta({
    description:
      'Whether masks of the file are converted to polygons; the default is in `options` of the format in `/server/annotation/formats`',
  }),
  import_mode: text(16)
    .default('replace')
    .meta({
      description: `One of ${importModes.join(', ')}: replaces existing annotations, adds to them, or adds only those that do not exist yet`,
    }),
  dry_run: dryRun,
})

/** Selection of followed requests: one, or all of the caller. */
export const followRequestsQuery = z.object({ rq_id: z.string().optional() })

export const downloadQuery = z.object({ rq_id: z.string().optional() })

/** File that the gateway has written to the object store. */
export const uploadedFile = z.object({
  name: z.string(),
  key: z.string(),
  size: z.int(),
  /** Hexadecimal checksum, if all bytes passed through one process. */
  sha256: z.string().optional(),
})

/** Location and name of a result file. */
export const resultFile = z
  .object({
    key: z.string(),
    size: z.int(),
    filename: z.string(),
    etag: z.string(),
    media_type: z.string(),
    finished_date: timestamp,
  })
  .meta({ id: 'ResultFile' })

export type Request = z.infer<typeof request>
export type Exported = z.infer<typeof exported>
export type RequestReport = z.infer<typeof report>
export type UploadedFile = z.infer<typeof uploadedFile>
export type TaskStatus = z.infer<typeof taskStatus>
