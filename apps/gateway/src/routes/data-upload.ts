import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { invalid } from '@reticle/kit'
import { z } from 'zod'
import { announcedLength } from '../body.ts'
import type { GatewayPorts } from '../ports.ts'
import { documents, namesSources, readParameters } from './data-parameters.ts'
import { type ArrivingFile, type OnFile, readForm } from './form.ts'
import { beforeItsEffect, handOver, storeFile, type Upload, type UploadCall } from './upload.ts'

/** `POST /tasks/:id/data`: pictures, or one archive of them, become the media of a task (api-workspace 4.5). */

export const mostFiles = 10_000
const limits = { files: mostFiles, fields: 20_000, parts: 30_000 }
const fileField = /^(?:client_files(?:\[\d+\])?|zip)$/
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
  const parameters = readParameters(fields)
  if (files.length === 0 && !namesSources(parameters))
    throw invalid({ client_files: noFile }, 'required')
  return { files, parameters }
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
