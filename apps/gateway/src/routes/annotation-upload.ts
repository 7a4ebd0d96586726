import { importQuery } from '@reticle/contracts/rest/requests'
import { z } from 'zod'
import { announcedLength, bodyOf } from '../body.ts'
import type { GatewayPorts } from '../ports.ts'
import { isForm } from '../request.ts'
import { targetOf } from '../serve.ts'
import { storeOneFile } from './one-file.ts'
import { beforeItsEffect, handOver, type Upload, type UploadCall } from './upload.ts'

/**
 * `POST /{tasks|jobs}/:id/annotations/` and `POST /projects/:id/dataset/`: one file is imported, of annotations or of a data set
 * with its images (api-annotations 2.3).
 */

const fieldOf = ({ operation }: Pick<UploadCall, 'operation'>) =>
  targetOf(operation) === 'project' ? 'dataset_file' : 'annotation_file'
const inputs = z.object({
  ...importQuery.shape,
  id: z.int(),
  if_match: z.string().optional(),
  names_default_subset: z.boolean().optional(),
})

/** All of it in one request; without a body it names a file that is somewhere else. */
export const importUpload: Upload = async (call, ports) => {
  const { requests } = ports.services
  const { wish, options } = askedBy(call)
  if (isEmpty(call.request) || isElsewhere(wish)) return importNamed(call, ports)
  const opening = beforeItsEffect(call.context)
  const { upload_id, prefix } = await requests.openUpload(wish, opening)

  return handOver(ports, {
    prefix,
    store: () => storeOneFile(call, ports, prefix, [fieldOf(call)]),
    start: (file) => {
      const { target, id } = wish
      const body = { upload_id, target, id, file, ...options }
      return requests.startImport({ body }, call.context)
    },
  })
}

/** The first of several requests: what would be refused at their end is refused now. */
export const importStart: Upload = async (call, { services }) =>
  services.requests.checkUpload(askedBy(call).wish, call.context)

/** The last request: `filename` is what `Upload-Filename` was. A file of its own is taken before that. */
export const importFinish: Upload = async (call, ports) => {
  if (!isEmpty(call.request) && isForm(call.request)) return importUpload(call, ports)
  return importNamed(call, ports, 'local')
}

/** A file that was sent before, or is in a cloud storage: the one that is named, or that of the object. */
async function importNamed(
  { request, ...call }: UploadCall,
  { services, settings }: GatewayPorts,
  usual?: string,
): Promise<unknown> {
  // Some clients send a form or a document with nothing in it.
  if (!isEmpty(request)) for await (const _ of bodyOf(request, settings.maxBodyBytes));
  const { wish, filename, options, cloud_storage_id } = askedBy(call)
  const { target, id, location = usual } = wish
  const named = { file_id: filename, location, cloud_storage_id }
  return services.requests.startImport({ body: { target, id, ...named, ...options } }, call.context)
}

/** What is asked before there is a file, and with it. */
function askedBy(call: Pick<UploadCall, 'input' | 'operation'>) {
  const { filename, conv_mask_to_poly, cloud_storage_id, ...asked } = inputs.parse(call.input)
  const { id, format, import_mode, dry_run, location, if_match, names_default_subset } = asked
  const target = targetOf(call.operation)
  return {
    wish: {
      ...{ purpose: target === 'project' ? ('dataset' as const) : ('annotations' as const) },
      ...{ target, id },
      ...{ format, import_mode, dry_run, location, if_match },
    },
    ...{ filename, cloud_storage_id },
    options: {
      ...{ format: format ?? '', import_mode, conv_mask_to_poly, dry_run, if_match },
      names_default_subset,
    },
  }
}

const isElsewhere = ({ location }: { location?: string }) => location === 'cloud_storage'
const isEmpty = ({ raw }: UploadCall['request']) => announcedLength(raw) === 0
