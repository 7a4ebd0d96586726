import { z } from 'zod'
import { filter, integer, timestamp } from './common.ts'
import { longestSearch } from './lists.ts'
import { checkSources, sourceParameters } from './sources.ts'
import { checkSplitting, jobCount, jobFileMapping } from './splitting.ts'
import { validationParams } from './validation.ts'

/** Media of tasks and jobs: `spec/api-workspace.md` 4.5 and 4.7. */

export const frameMeta = z
  .object({
    name: z.string(),
    /** Pixels, EXIF orientation applied. */
    width: z.int(),
    height: z.int(),
    related_files: z.int(),
    has_related_context: z.boolean(),
  })
  .meta({ id: 'FrameMeta' })

/** A part of a video that the file itself lists. Frames are task-relative and inclusive. */
export const chapter = z
  .object({
    /** Its place among the chapters of the task, from 0. */
    id: z.int(),
    start: z.int(),
    stop: z.int(),
    metadata: z
      .object({ title: z.string().meta({ description: 'Empty where the file gives none' }) })
      .meta({ id: 'ChapterMetadata' }),
  })
  .meta({ id: 'Chapter' })

/** By their first frames. */
export const chapterList = z.object({ chapters: z.array(chapter) }).meta({ id: 'ChapterList' })

export const dataMeta = z
  .object({
    chunk_size: z.int(),
    size: z.int(),
    image_quality: z.int(),
    start_frame: z.int(),
    stop_frame: z.int(),
    frame_filter: z.string(),
    storage: z.enum(['local', 'share', 'cloud_storage']),
    cloud_storage_id: z.int().nullable(),
    chapters: z.array(chapter).nullable().meta({
      description:
        'Chapters of a video, by their first frames; of a job those in its frames, cut to them; null where there are none',
    }),
    chunks_updated_date: timestamp,
    deleted_frames: z.array(z.int()),
    included_frames: z.unknown(),
    frames: z.array(frameMeta),
  })
  .meta({ id: 'DataMeta' })

/** Task-relative; the whole list, of a job the whole list of its frames. */
const deletedFrames = z.array(integer).refine((given) => new Set(given).size === given.length, {
  error: 'Deleted frames cannot repeat.',
})

export const taskDataMetaPatch = z
  .object({
    deleted_frames: deletedFrames,
    /** Another bucket to read the media from. */
    cloud_storage_id: integer.nullable(),
  })
  .partial()
  .meta({ id: 'TaskDataMetaPatch' })

export const jobDataMetaPatch = z
  .object({ deleted_frames: deletedFrames })
  .partial()
  .meta({ id: 'JobDataMetaPatch' })

/** All tasks of a project together (`spec/extensions.md` 8). */
export const projectDataMeta = z
  .object({
    /** Frames, deleted ones included. */
    size: z.int(),
    tasks: z.int(),
    deleted_frames: z.int(),
  })
  .meta({ id: 'ProjectDataMeta' })

/** A frame that a search found, and the jobs that it is in. */
export const foundFrame = z
  .object({
    task_id: z.int(),
    job_ids: z.array(z.int()),
    /** Task-relative. */
    frame: z.int(),
    name: z.string(),
  })
  .meta({ id: 'FoundFrame' })

/** Frames by their names: terms as in every search of lists (`spec/api-workspace.md` 1.5, section 10 row 5). */
export const frameSearch = z.object({
  page: z.string().optional(),
  page_size: z.string().optional(),
  search: z.string().max(longestSearch).meta({
    description:
      'Terms that each occur in the name of the file; without project_id and task_id one of them has three characters or more',
  }),
  project_id: filter(integer),
  task_id: filter(integer),
})

/** `type` and `number` are checked by the service: their errors are texts of the de-facto standard. */
export const dataQuery = z.object({
  type: z.string().optional(),
  number: integer.optional(),
  quality: z.string().optional(),
})

/** Jobs count chunks from their own first frame as well. */
export const jobDataQuery = dataQuery.extend({ index: integer.optional() })

/** `Prefer` as sent (RFC 7240); `handling=empty` is what previews know. */
export const preference = z.object({ prefer: z.string().max(1024).optional() })

/** Parameters of media beside its files. */
export const dataParameters = z
  .object({
    image_quality: integer.refine((given) => given >= 1 && given <= 100, {
      error: 'Ensure this value is between 1 and 100.',
    }),
    chunk_size: integer.refine((given) => given >= 1, {
      error: 'Ensure this value is greater than or equal to 1.',
    }),
    validation_params: validationParams,
    job_file_mapping: jobFileMapping,
    job_count: jobCount,
    ...sourceParameters,
  })
  .partial()
  .superRefine(checkSplitting)
  .superRefine(checkSources)
  .meta({ id: 'DataParameters' })

/** An image as the worker found it: where its bytes are. */
const storedImage = z.object({
  name: z.string(),
  /** Object key, and inside the object the first byte and the number of bytes. */
  key: z.string(),
  offset: z.int(),
  length: z.int(),
  /**
   * How those bytes are packed: as they are, or a raw deflate stream (a zip entry). `video`: the object is the index of a
   * video, and `offset` the number of a frame in it.
   */
  packing: z.enum(['stored', 'deflated', 'video']),
  media_type: z.string(),
})

/** Context images of a frame, by name; named apart from their frames, whose lists they are in none of. */
export const relatedFiles = z
  .object({ files: z.array(storedImage.meta({ id: 'RelatedFile' })) })
  .meta({ id: 'RelatedFiles' })

/** One frame. Pixels are those of the image upright. */
export const frameSource = storedImage.extend({
  width: z.int(),
  height: z.int(),
  related: relatedFiles.optional(),
})

export type Chapter = z.infer<typeof chapter>
export type FoundFrame = z.infer<typeof foundFrame>
export type FrameSource = z.infer<typeof frameSource>
export type StoredImage = z.infer<typeof storedImage>
export type FrameMeta = z.infer<typeof frameMeta>
export type ProjectDataMeta = z.infer<typeof projectDataMeta>
export type DataMeta = z.infer<typeof dataMeta>
export type DataParameters = z.infer<typeof dataParameters>
