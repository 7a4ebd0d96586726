import { z } from 'zod'
import { filter, integer, timestamp } from './common.ts'
import { longestSearch } from './lists.ts'
import { checkSources, sourceParameters } from './sources.ts'
import { checkSplitting, jobCount, jobFileMapping } from './splitting.ts'
import { validationParams } from './validation.ts'

/** Media of tasks and jobs. See docs/spec/workspace.md#reading-media. */

export const frameMeta = z
  .object({
    name: z.string(),
    /** Pixels, with the EXIF orientation applied. */
    width: z.int(),
    height: z.int(),
    related_files: z.int(),
    has_related_context: z.boolean(),
  })
  .meta({ id: 'FrameMeta' })

/** Chapter of a video that the file itself lists. Frames are task-relative and inclusive. */
export const chapter = z
  .object({
    /** Position among the chapters of the task, from 0. */
    id: z.int(),
    start: z.int(),
    stop: z.int(),
    metadata: z
      .object({ title: z.string().meta({ description: 'Empty if the file has none' }) })
      .meta({ id: 'ChapterMetadata' }),
  })
  .meta({ id: 'Chapter' })

/** Chapters, ordered by their first frames. */
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
        'Chapters of a video, by first frame; for a job those in its frames, cut to them; null without chapters',
    }),
    chunks_updated_date: timestamp,
    deleted_frames: z.array(z.int()),
    included_frames: z.unknown(),
    frames: z.array(frameMeta),
  })
  .meta({ id: 'DataMeta' })

/** Task-relative frame numbers; the complete list, for a job the complete list of its frames. */
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

/** Summary of all tasks of a project. */
export const projectDataMeta = z
  .object({
    /** Number of frames, including deleted ones. */
    size: z.int(),
    tasks: z.int(),
    deleted_frames: z.int(),
  })
  .meta({ id: 'ProjectDataMeta' })

/** Frame found by a search, with the jobs that contain it. */
export const foundFrame = z
  .object({
    task_id: z.int(),
    job_ids: z.array(z.int()),
    /** Task-relative frame number. */
    frame: z.int(),
    name: z.string(),
  })
  .meta({ id: 'FoundFrame' })

/** Search of frames by name; terms as in the search of lists. */
export const frameSearch = z.object({
  page: z.string().optional(),
  page_size: z.string().optional(),
  search: z.string().max(longestSearch).meta({
    description:
      'Terms that each occur in the name of the file; without project_id and task_id one of them must have at least three characters',
  }),
  project_id: filter(integer),
  task_id: filter(integer),
})

/** `type` and `number` are validated by the service, whose errors have the texts of the de-facto standard. */
export const dataQuery = z.object({
  type: z.string().optional(),
  number: integer.optional(),
  quality: z.string().optional(),
})

/** Jobs can also count chunks from their own first frame. */
export const jobDataQuery = dataQuery.extend({ index: integer.optional() })

/** The header `Prefer` (RFC 7240), unparsed; previews support `handling=empty`. */
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

/** Location of the bytes of an image, as the worker found it. */
const storedImage = z.object({
  name: z.string(),
  /** Object key, and within the object the first byte and the number of bytes. */
  key: z.string(),
  offset: z.int(),
  length: z.int(),
  /**
   * Encoding of those bytes: unchanged, or a raw deflate stream (a zip entry). `video`: the object is the index of a
   * video, and `offset` the number of a frame in it.
   */
  packing: z.enum(['stored', 'deflated', 'video']),
  media_type: z.string(),
})

/**
 * Context images of a frame, ordered by name. Their schema has a
 * separate name, because lists of frames do not contain them.
 */
export const relatedFiles = z
  .object({ files: z.array(storedImage.meta({ id: 'RelatedFile' })) })
  .meta({ id: 'RelatedFiles' })

/** Frame with its size in pixels, after rotation to upright. */
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
