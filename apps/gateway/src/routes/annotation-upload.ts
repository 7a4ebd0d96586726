import { importQuery, type UploadedFile } from '@reticle/contracts/rest/requests'
import { invalid, invalidText } from '@reticle/kit'
import { z } from 'zod'
import { announcedLength } from '../body.ts'
import type { GatewayPorts } from '../ports.ts'
import { targetOf } from '../serve.ts'
import { type ArrivingFile, type OnFile, readForm } from './form.ts'
import { beforeItsEffect, handOver, storeFile, type Upload, type UploadCall } from './upload.ts'

/** `POST /{tasks|jobs}/:id/annotations/`: one file of annotations is imported (api-annotations 2.3). */

const field = 'annotation_file'
const limits = { files: 2, fields: 10, parts: 20 } // a second file is refused by name
const inputs = z.object({
  ...importQuery.shape,
  id: z.int(),
  if_match: z.string().optional(),
})

export const importUpload: Upload = async (call, ports) => {
  const { requests } = ports.services
  const { filename, conv_mask_to_poly, format, ...asked } = inputs.parse(call.input)
  const { id, import_mode, location, if_match } = asked
  const target = targetOf(call.operation)
  const { upload_id, prefix } = await requests.openUpload(
    { purpose: 'annotations', target, id, format, import_mode, location, if_match },
    beforeItsEffect(call.context),
  )
  assertBody(call, filename)

  return handOver(ports, {
    prefix,
    store: () => storeAnnotations(call, ports, prefix),
    start: (file) => {
      const options = { format: format ?? '', import_mode, conv_mask_to_poly, if_match }
      const body = { upload_id, target, id, file, ...options }
      return requests.startImport({ body }, call.context)
    },
  })
}

async function storeAnnotations(
  { request, context: { signal } }: UploadCall,
  { blobs, settings }: GatewayPorts,
  prefix: string,
): Promise<UploadedFile> {
  let stored: UploadedFile | undefined
  const onFile: OnFile = async (file, halt) => {
    assertFile(file, stored)
    stored = await storeFile(blobs, `${prefix}0`, file, halt)
  }
  await readForm(request, { limits, maxBytes: settings.maxMultipartBytes, signal, onFile })
  return notEmpty(stored)
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
