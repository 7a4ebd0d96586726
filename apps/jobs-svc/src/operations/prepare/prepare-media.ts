import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import type { CallContext } from '@reticle/kit'
import { deduplicateFiles } from '../../storage/deduplicate-files.ts'
import { withBuckets } from '../../storage/with-buckets.ts'
import { toReport, withReport } from '../../work/report.ts'
import type { CreateWork, OperationOutcome } from '../../work/request-work.ts'
import { contextOf } from '../../work/request-work.ts'
import type { OperationDeps } from '../operation.ts'
import { openBucketListing } from '../sources/bucket-listing.ts'
import { readShare, type SourceDeps } from '../sources/deps.ts'
import { findFrames, type PreparedFrames } from './find-frames.ts'

/**
 * Turns files into the frames of a task: finds the pictures, orders and measures them, then passes the list to the task
 * in one call, which splits it into jobs. Uploaded files are not copied (docs/spec/workspace.md#attaching-media).
 */
export function prepareMedia(work: CreateWork, deps: OperationDeps): Promise<OperationOutcome> {
  return withReport((report) => makeMedia(work, deps, report))
}

async function makeMedia(
  work: CreateWork,
  deps: OperationDeps,
  report: ReportWriter,
): Promise<OperationOutcome> {
  const { services, signal, blobs } = deps
  const { task_id, params, request_uuid: call_id } = work
  const context = contextOf(work, signal)
  deps.progress(0, 'Reading images')
  // A task with media is not refused here, because an earlier attempt of this request may have attached it.
  await services.tasks.authorize({ target: 'task', id: task_id, action: 'upload:data' }, context)

  const { files, spare } = await deduplicateFiles(work.params.files, folderOf(work), deps)
  const deduplicated = { ...work, params: { ...work.params, files } }
  const prefix = prefixOf(work)
  const source = sourceOf(work, deps, context)
  const progress = onlyForward(deps.progress)
  const about = { ...deps, ...source, progress, prefix, report, task_id }
  const found = await findFrames(deduplicated, about).catch(async (thrown) => {
    await blobs.removePrefix(prefix).catch(() => undefined) // at the latest deleted with the upload
    throw thrown
  })

  await deps.enterFinal()
  deps.progress(readShare, 'Creating jobs')
  const media = { task_id, call_id, ...validationOf(params, found), body: found.staged.read() }
  await services.media.attachMedia(media, context)
  return { report: toReport(report), result: null, result_id: task_id, spare }
}

/** Returns the options of the frames as a whole, and of the jobs into which they are split. */
function validationOf(params: CreateWork['params'], found: PreparedFrames) {
  const { image_quality, validation_params, job_file_mapping, job_count } = params
  const { start_frame, frame_filter } = params
  const { video_name, chapters } = found
  return {
    image_quality,
    chunk_size: params.chunk_size ?? found.chunk_size,
    ...(video_name !== undefined && { video_name }),
    ...(chapters && { chapters }),
    ...(validation_params && { validation_params }),
    ...(job_file_mapping && {
      job_sizes: { frames: job_file_mapping.map(({ files }) => files.length) },
    }),
    ...(job_count !== null && { job_count }),
    ...(start_frame > 0 && { start_frame }),
    ...(frame_filter !== '' && { frame_filter }),
    ...placeOf(params, found),
  }
}

/**
 * Reads the files of the request's cloud storage with the permissions of the user, until they are media of the task.
 */
function sourceOf(
  { task_id, params: { cloud_storage_id } }: CreateWork,
  { services: { storages }, blobs }: OperationDeps,
  context: CallContext,
): Pick<SourceDeps, 'blobs' | 'bucket'> {
  if (cloud_storage_id === null) return { blobs }
  return {
    blobs: withBuckets(blobs, storages, { cloud_storage_id, context }),
    bucket: openBucketListing(storages, { cloud_storage_id, task_id }, context),
  }
}

/**
 * Returns the key prefix of generated files: below the upload, so that both are deleted together. Each attempt has its
 * own, so that an attempt that has not noticed the loss of its lease does no harm.
 */
const prefixOf = (work: CreateWork): string => `${folderOf(work)}made-${work.lease_token}/`

function folderOf({ input_key }: CreateWork): string {
  if (input_key === null) throw new Error('a request for media must have an input_key')
  return `${input_key.replace(/\/$/, '')}/`
}

/** Makes the share done monotonic, because files may be read more than once. */
function onlyForward(reportProgress: OperationDeps['progress']): OperationDeps['progress'] {
  let most = 0
  return (share, stage, amounts) => {
    most = Math.max(most, share)
    reportProgress(most, stage, amounts)
  }
}

/**
 * Returns the storage of files that are not copied from the share or a cloud storage; the task needs it as long as it
 * exists.
 */
function placeOf(
  { server_files, copy_data, cloud_storage_id }: CreateWork['params'],
  { cloud_storage_id: holding, isMade = false }: PreparedFrames,
) {
  if (holding !== undefined) return { storage: 'cloud_storage', cloud_storage_id: holding } as const
  const isCopied = copy_data || isMade
  const isOnShare = server_files.length > 0 && !isCopied && cloud_storage_id === null
  return isOnShare ? ({ storage: 'share' } as const) : {}
}
