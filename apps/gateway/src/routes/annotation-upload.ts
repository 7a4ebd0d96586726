import { importQuery } from '@reticle/contracts/rest/requests'
import { z } from 'zod'
import { announcedLength, bodyOf } from '../bodies/body.ts'
import { isForm } from '../call/request.ts'
import { targetOf } from '../operations/serve.ts'
import type { GatewayPorts } from '../ports.ts'
import {
  storeAndStart,
  storeOneFile,
  type Upload,
  type UploadCall,
  withoutCallId,
} from './upload.ts'

/**
 * `POST /{tasks|jobs}/:id/annotations/` and `POST /projects/:id/dataset/`: import of one file with annotations, or
 * with a dataset and its images.
 */

const fieldOf = ({ operation }: Pick<UploadCall, 'operation'>) =>
  targetOf(operation) === 'project' ? 'dataset_file' : 'annotation_file'
const inputs = z.object({
  ...importQuery.shape,
  id: z.int(),
  if_match: z.string().optional(),
  names_default_subset: z.boolean().optional(),
})

/** Handles an import in a single call; without a body, the call names a file that is stored elsewhere. */
export const importUpload: Upload = async (call, ports) => {
  const { requests } = ports.services
  const { uploadInput, options } = readImport(call)
  if (isEmpty(call.request) || isElsewhere(uploadInput)) return importNamed(call, ports)
  const opening = withoutCallId(call.context)
  const { upload_id, prefix } = await requests.openUpload(uploadInput, opening)

  return storeAndStart(ports, {
    prefix,
    store: () => storeOneFile(call, ports, prefix, [fieldOf(call)]),
    start: (file) => {
      const { target, id } = uploadInput
      const body = { upload_id, target, id, file, ...options }
      return requests.startImport({ body }, call.context)
    },
  })
}

/** Handles the first of several calls: input that the last call would refuse is refused now. */
export const importStart: Upload = async (call, { services }) =>
  services.requests.checkUpload(readImport(call).uploadInput, call.context)

/** Handles the last call: `filename` is the former `Upload-Filename`. A file in the body takes precedence. */
export const importFinish: Upload = async (call, ports) => {
  if (!isEmpty(call.request) && isForm(call.request)) return importUpload(call, ports)
  return importNamed(call, ports, 'local')
}

/** Imports a file that was uploaded before or is in a cloud storage: the named one, or the default of the object. */
async function importNamed(
  { request, ...call }: UploadCall,
  { services, settings }: GatewayPorts,
  usual?: string,
): Promise<unknown> {
  // Some clients send an empty form or document.
  if (!isEmpty(request)) for await (const _ of bodyOf(request, settings.maxBodyBytes));
  const { uploadInput, filename, options, cloud_storage_id } = readImport(call)
  const { target, id, location = usual } = uploadInput
  const named = { file_id: filename, location, cloud_storage_id }
  return services.requests.startImport({ body: { target, id, ...named, ...options } }, call.context)
}

/** Returns the input of the check before the upload, and of the import after it. */
function readImport(call: Pick<UploadCall, 'input' | 'operation'>) {
  const { filename, conv_mask_to_poly, cloud_storage_id, ...query } = inputs.parse(call.input)
  const { id, format, import_mode, dry_run, location, if_match, names_default_subset } = query
  const target = targetOf(call.operation)
  return {
    uploadInput: {
      purpose: target === 'project' ? ('dataset' as const) : ('annotations' as const),
      target,
      id,
      format,
      import_mode,
      dry_run,
      location,
      if_match,
    },
    filename,
    cloud_storage_id,
    options: {
      format: format ?? '',
      import_mode,
      conv_mask_to_poly,
      dry_run,
      if_match,
      names_default_subset,
    },
  }
}

const isElsewhere = ({ location }: { location?: string }) => location === 'cloud_storage'
const isEmpty = ({ raw }: UploadCall['request']) => announcedLength(raw) === 0
