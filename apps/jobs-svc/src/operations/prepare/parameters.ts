import type { DataParameters } from '@reticle/contracts/rest/media'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { stepOf } from '@reticle/contracts/rest/sources'
import { type CallContext, invalid, invalidInput, invalidText, signedIn } from '@reticle/kit'
import { assertPermitted } from '@reticle/kit/call/policy'
import { type Net, readTarget, TargetRefused } from '@reticle/kit/outgoing/guard'
import { shareRules, shareStanding } from '../../storage/share/policy.ts'
import type { CreateWork } from '../../work/request-work.ts'
import { firstOf } from './order.ts'

/** Default of CVAT's client library. */
const defaultQuality = 70

/**
 * Returns the parameters of a preparation, with defaults for those not given.
 *
 * @param files all uploaded files
 * @throws DomainError invalid for an order of other files than these, for forbidden addresses and for unsupported
 *   options; forbidden for files of the share without permission to see them
 */
export function workParams(
  given: DataParameters,
  files: readonly UploadedFile[],
  { allowedNets }: { allowedNets: readonly Net[] },
  context: CallContext,
): CreateWork['params'] {
  const { frame_filter, sorting_method = 'lexicographical', upload_file_order = [] } = given
  const { server_files = [], remote_files = [], cloud_storage_id = null } = given
  assertSupported(given)
  if (server_files.length > 0 && cloud_storage_id === null)
    assertPermitted(shareRules, 'list', signedIn(context), shareStanding)
  assertTargets(remote_files, allowedNets)
  if (sorting_method === 'predefined') assertSameFiles(files, upload_file_order)
  return {
    files: [...files],
    image_quality: given.image_quality ?? defaultQuality,
    sorting_method,
    upload_file_order,
    chunk_size: given.chunk_size ?? null,
    validation_params: given.validation_params ?? null,
    job_file_mapping: given.job_file_mapping ?? null,
    job_count: given.job_count ?? null,
    start_frame: given.start_frame ?? 0,
    stop_frame: given.stop_frame ?? null,
    frame_filter: frame_filter === undefined ? '' : `step=${stepOf(frame_filter)}`,
    use_zip_chunks: given.use_zip_chunks ?? false,
    server_files,
    server_files_exclude: given.server_files_exclude ?? [],
    remote_files,
    cloud_storage_id,
    filename_pattern: given.filename_pattern ?? null,
    copy_data: given.copy_data ?? false,
  }
}

/**
 * Checks for unsupported options.
 *
 * @throws DomainError invalid for honeypots
 */
function assertSupported({ validation_params: asked }: DataParameters): void {
  if (asked?.mode === 'gt_pool')
    throw invalidText(`Validation mode '${asked.mode}' is not supported`)
}

/** Checks addresses without resolving their names; the worker checks again after resolution. */
function assertTargets(urls: readonly string[], nets: readonly Net[]): void {
  const guard = { nets, allowHttp: true }
  for (const [index, url] of urls.entries()) {
    try {
      readTarget(url, guard)
    } catch (thrown) {
      if (!(thrown instanceof TargetRefused)) throw thrown
      const { message } = thrown
      const path = ['remote_files', index]
      throw invalidInput([{ code: 'custom', path, message, input: undefined }])
    }
  }
}

/** Checks an order of uploaded files against the files, with the error texts of CVAT. */
function assertSameFiles(files: readonly UploadedFile[], order: readonly string[]): void {
  if (files.length === 0 || order.length === 0) return
  const there = new Set(files.map(({ name }) => name))
  const expected = new Set(order)
  const wrong = [
    ...[...there].filter((name) => !expected.has(name)).map((name) => `${name} (upload)`),
    ...[...expected].filter((name) => !there.has(name)).map((name) => `${name} (expected)`),
  ]
  const text =
    "Uploaded files do not match the 'upload_file_order' field contents. Please check the uploaded data and the list of uploaded files."
  if (wrong.length > 0)
    throw invalid({ upload_file_order: `${text} Mismatching files: ${firstOf(wrong)}` })
  if (expected.size < order.length)
    throw invalid({ upload_file_order: 'A file can be listed once only.' })
}
