import { type DataParameters, dataParameters } from '@reticle/contracts/rest/media'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { invalid, invalidInput } from '@reticle/kit'
import { wording } from '@reticle/kit/validation'
import { z } from 'zod'
import { announcedLength } from '../body.ts'
import type { GatewayPorts } from '../ports.ts'
import { type ArrivingFile, type Fields, type OnFile, readForm } from './form.ts'
import { beforeItsEffect, handOver, storeFile, type Upload, type UploadCall } from './upload.ts'

/** `POST /tasks/:id/data`: pictures, or one zip archive of them, become the media of a task (api-workspace 4.5). */

export const mostFiles = 10_000
const limits = { files: mostFiles, fields: 20_000, parts: 30_000 }
const fileField = /^(?:client_files(?:\[\d+\])?|zip)$/
const documents = ['job_file_mapping', 'validation_params']
const noFile = 'No file was submitted.'
const target = z.object({ id: z.int() })

export const dataUpload: Upload = async (call, ports) => {
  const { requests } = ports.services
  const { id } = target.parse(call.input)
  const opening = { purpose: 'data', target: 'task', id } as const
  const { upload_id, prefix } = await requests.openUpload(opening, beforeItsEffect(call.context))
  if (announcedLength(call.request.raw) === 0) throw invalid({ client_files: noFile }, 'required')

  return handOver(ports, {
    prefix,
    store: () => storeData(call, ports, prefix),
    start: (stored) => {
      const body = { upload_id, task_id: id, ...stored }
      return requests.startDataPreparation({ body }, call.context)
    },
  })
}

async function storeData(
  { request, context: { signal } }: UploadCall,
  { blobs, settings }: GatewayPorts,
  prefix: string,
) {
  const files: UploadedFile[] = []
  const onFile: OnFile = async (file, halt) => {
    assertFile(file, files)
    files.push(await storeFile(blobs, `${prefix}${files.length}`, file, halt))
  }
  const maxBytes = settings.maxMultipartBytes
  const fields = await readForm(request, { limits, maxBytes, signal, onFile, documents })
  if (files.length === 0) throw invalid({ client_files: noFile }, 'required')
  return { files, parameters: readParameters(fields) }
}

function assertFile({ field, name }: ArrivingFile, before: readonly UploadedFile[]): void {
  if (!fileField.test(field))
    throw invalid({
      [field]:
        'No file is expected here. Send files as client_files[0], client_files[1] and so on.',
    })
  if (before.some((file) => file.name === name))
    throw invalid({ client_files: `The file ${name} was submitted twice.` })
}

/** Without one of these a task would have other frames, or other jobs, than were asked for. */
const unsupported = new Set([
  ...['start_frame', 'stop_frame', 'frame_filter', 'server_files', 'server_files_exclude'],
  ...['remote_files', 'cloud_storage_id', 'filename_pattern', 'upload_file_order'],
])

function assertSupported(fields: Fields): void {
  for (const [name, value] of Object.entries(fields)) {
    const [parameter = ''] = name.split('[')
    const isDefault = value === '' || (parameter === 'start_frame' && value === '0')
    if (unsupported.has(parameter) && !isDefault)
      throw invalid({ [name]: 'This parameter is not supported.' })
  }
}

function readParameters(fields: Fields): DataParameters {
  assertSupported(fields)
  const read = dataParameters.safeParse(fields, { error: wording })
  if (read.error) throw invalidInput(read.error.issues)
  return read.data
}
