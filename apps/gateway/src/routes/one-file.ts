import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { invalid } from '@reticle/kit'
import type { GatewayPorts } from '../ports.ts'
import { type OnFile, readForm } from './form.ts'
import { storeFile, type UploadCall } from './upload.ts'

/** Forms with exactly one file. */

const limits = { files: 2, fields: 10, parts: 20 } // a second file is parsed so that its name can be reported

export const createNoFileError = (field: string) =>
  invalid({ [field]: 'No file was submitted.' }, 'required')

/**
 * Stores the file of a form below a prefix.
 * @param fields Accepted names of the field; errors use the first one.
 * @throws DomainError invalid for a missing, second, empty or misnamed file
 */
export async function storeOneFile(
  { request, context: { signal } }: UploadCall,
  { blobs, settings }: GatewayPorts,
  prefix: string,
  fields: readonly [string, ...string[]],
): Promise<UploadedFile> {
  const [field] = fields
  let stored: UploadedFile | undefined
  const onFile: OnFile = async (file, halt) => {
    if (!fields.includes(file.field))
      throw invalid({
        [field]: `No file was submitted. It is expected here, not in ${file.field}.`,
      })
    if (stored) throw invalid({ [field]: 'Only one file can be submitted.' })
    stored = await storeFile(blobs, `${prefix}0`, file, halt)
  }
  await readForm(request, { limits, maxBytes: settings.maxMultipartBytes, signal, onFile })
  if (!stored) throw createNoFileError(field)
  if (stored.size === 0) throw invalid({ [field]: 'The submitted file is empty.' })
  return stored
}
