import { assetFields, largestAsset } from '@reticle/contracts/rest/assets'
import { invalid, invalidInput } from '@reticle/kit'
import { formatIssue } from '@reticle/kit/call/validation'
import { announcedLength } from '../bodies/body.ts'
import { type ArrivingFile, type FormFields, type OnFile, readForm } from '../bodies/form.ts'
import type { GatewayPorts } from '../ports.ts'
import { storeAndStart, storeFile, type Upload, type UploadCall } from './upload.ts'

/** `POST /assets`: upload of one file as an asset of a guide. The service detects its type. */

const field = 'file'
const limits = { files: 2, fields: 10, parts: 20 } // a second file is parsed so that its name can be reported
const noFile = 'No file was submitted.'

export const assetUpload: Upload = async (call, ports) => {
  const { guides } = ports.services
  if (announcedLength(call.request.raw) === 0) throw invalid({ [field]: noFile }, 'required')
  const { upload_id, prefix } = await guides.openAssetUpload({}, call.context)

  return storeAndStart(ports, {
    prefix,
    store: () => storeAsset(call, ports, prefix),
    start: (stored) => guides.storeAsset({ body: { upload_id, ...stored } }, call.context),
  })
}

async function storeAsset(
  { request, context: { signal } }: UploadCall,
  { blobs, settings }: GatewayPorts,
  prefix: string,
) {
  let stored: { filename: string; media_type: string } | undefined
  const onFile: OnFile = async (file, halt) => {
    assertFile(file, stored !== undefined)
    const pieces = limitAssetSize(file.pieces)
    const { name: filename, size } = await storeFile(blobs, `${prefix}0`, { ...file, pieces }, halt)
    if (size === 0) throw invalid({ [field]: 'The submitted file is empty.' })
    stored = { filename, media_type: file.type }
  }
  const maxBytes = settings.maxMultipartBytes
  const fields = await readForm(request, { limits, maxBytes, signal, onFile })
  if (!stored) throw invalid({ [field]: noFile }, 'required')
  return { ...stored, ...readFields(fields) }
}

function assertFile({ field: name }: ArrivingFile, isSecond: boolean): void {
  if (name !== field)
    throw invalid({ [field]: `No file was submitted. It is expected here, not in ${name}.` })
  if (isSecond) throw invalid({ [field]: 'Only one file can be submitted.' })
}

/** Yields the pieces of a file up to the size limit of assets. */
async function* limitAssetSize(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const piece of pieces) {
    size += piece.length
    if (size > largestAsset)
      throw invalid({ [field]: `The file is larger than ${largestAsset / 1024 / 1024} MB.` })
    yield piece
  }
}

function readFields(fields: FormFields) {
  const read = assetFields.safeParse(fields, { error: formatIssue })
  if (read.error) throw invalidInput(read.error.issues)
  return read.data
}
