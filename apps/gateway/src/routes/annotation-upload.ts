import { importQuery, type UploadedFile } from '@reticle/contracts/rest/requests'
import { invalid, invalidText } from '@reticle/kit'
import { z } from 'zod'
import { announcedLength } from '../body.ts'
import { targetOf } from './downloads.ts'
import { type ArrivingFile, readForm } from './form.ts'
import { orRemove, storeFile, type Upload, type UploadCall } from './upload.ts'

/** `POST /{tasks|jobs}/:id/annotations/`: one file of annotations is imported (api-annotations 2.3). */

const field = 'annotation_file'
const limits = { files: 2, fields: 10, parts: 20 } // a second file is refused by name
const inputs = z.object({
  ...importQuery.shape,
  id: z.int(),
  if_match: z.string().optional(),
})

export const importUpload: Upload = async (call, ports) => {
  const { services, blobs, settings } = ports
  const { request, context } = call
  const query = inputs.parse(call.input)
  const { id, format = '', import_mode, conv_mask_to_poly, location, if_match } = query
  const target = targetOf(call.operation)
  const opening = { target, id, import_mode, location, if_match, format: query.format }
  const { upload_id, prefix } = await services.requests.openUpload(
    { ...opening, purpose: 'annotations' },
    context,
  )
  assertBody(call, query.filename)

  return orRemove(ports, prefix, async () => {
    let stored: UploadedFile | undefined
    const onFile = async (file: ArrivingFile, signal: AbortSignal) => {
      assertFile(file, stored)
      stored = await storeFile(blobs, `${prefix}0`, file, signal)
    }
    const { signal } = context
    await readForm(request, { limits, maxBytes: settings.maxMultipart, signal, onFile })
    const file = notEmpty(stored)
    const body = { upload_id, target, id, file, format, import_mode, conv_mask_to_poly, if_match }
    return services.requests.startImport({ body }, context)
  })
}

function assertBody({ request }: UploadCall, filename: string | undefined): void {
  if (announcedLength(request.raw) !== 0) return
  if (filename) throw invalidText('No such file were uploaded', 'upload_unknown')
  throw invalid({ [field]: 'No file was submitted.' }, 'required')
}

function assertFile(file: ArrivingFile, stored: UploadedFile | undefined): void {
  if (file.field !== field)
    throw invalid({ [field]: `No file was submitted. It is expected here, not in ${file.field}.` })
  if (stored) throw invalid({ [field]: 'Only one file can be submitted.' })
}

function notEmpty(stored: UploadedFile | undefined): UploadedFile {
  if (!stored) throw invalid({ [field]: 'No file was submitted.' }, 'required')
  if (stored.size === 0) throw invalid({ [field]: 'The submitted file is empty.' })
  return stored
}
