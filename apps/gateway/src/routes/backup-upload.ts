import { backedUp, restoreQuery } from '@reticle/contracts/rest/backups'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { DomainError, invalid } from '@reticle/kit'
import { announcedLength, bodyOf } from '../body.ts'
import type { GatewayPorts } from '../ports.ts'
import { isForm } from '../request.ts'
import { type ArrivingFile, type OnFile, readForm } from './form.ts'
import { beforeItsEffect, handOver, storeFile, type Upload, type UploadCall } from './upload.ts'

/** `POST /{projects|tasks}/backup/`: one archive becomes a project or task (api-annotations 2.5). */

const field = 'backup_file'
const limits = { files: 2, fields: 10, parts: 20 } // a second file is refused by name

/** All of it in one request. */
export const restoreUpload: Upload = async (call, ports) => {
  const { requests } = ports.services
  const { wish, filename, body } = askedBy(call)
  if (isElsewhere(wish) || (filename && isEmpty(call))) return restoreFinish(call, ports)
  const { upload_id, prefix } = await requests.openUpload(wish, beforeItsEffect(call.context))
  if (isEmpty(call)) throw noFile()
  return handOver(ports, {
    prefix,
    store: () => storeArchive(call, ports, prefix),
    start: (file) => requests.startRestore({ body: { ...body, upload_id, file } }, call.context),
  })
}

/** The first of several requests: what would be refused at their end is refused now. */
export const restoreStart: Upload = async (call, { services }) =>
  services.requests.checkUpload(askedBy(call).wish, call.context)

/** The last request: `filename` is what `Upload-Filename` was. A file of its own is taken before that. */
export const restoreFinish: Upload = async (call, ports) => {
  const { requests } = ports.services
  const { wish, filename, body } = askedBy(call)
  // Some clients send a form with nothing in it.
  if (isElsewhere(wish)) for await (const _ of bodyOf(call.request, ports.settings.maxBodyBytes));
  else if (!isEmpty(call) && isForm(call.request)) return restoreUpload(call, ports)
  else if (!filename) {
    await requests.checkUpload(wish, call.context)
    throw noFile()
  }
  return requests.startRestore({ body: { ...body, file_id: filename } }, call.context)
}

function askedBy({ operation, input }: UploadCall) {
  const { filename, rq_id, dry_run, ...place } = restoreQuery.parse(input)
  if (rq_id !== undefined) throw gone()
  const target = backedUp.find((one) => operation.path.startsWith(`/${one}s/`))
  if (!target) throw new Error(`${operation.name} makes neither a project nor a task`)
  const wish = { purpose: 'backup', target, id: 0, ...place } as const
  return { wish, filename, body: { target, dry_run, ...place } }
}

/** The call of the old protocol that asked how far a restore was (api-annotations 6.3). */
const gone = () =>
  new DomainError('gone', 'This endpoint is no longer supported. Use GET /requests/{rq_id}')

const isElsewhere = ({ location }: { location?: string }) => location === 'cloud_storage'
const isEmpty = ({ request }: UploadCall) => announcedLength(request.raw) === 0
const noFile = () => invalid({ [field]: 'No file was submitted.' }, 'required')

async function storeArchive(
  { request, operation, context: { signal } }: UploadCall,
  { blobs, settings }: GatewayPorts,
  prefix: string,
): Promise<UploadedFile> {
  const names = [field, operation.path.startsWith('/projects/') ? 'project_file' : 'task_file']
  let stored: UploadedFile | undefined
  const onFile: OnFile = async (file, halt) => {
    assertFile(file, names, stored)
    stored = await storeFile(blobs, `${prefix}0`, file, halt)
  }
  await readForm(request, { limits, maxBytes: settings.maxMultipartBytes, signal, onFile })
  if (!stored) throw noFile()
  if (stored.size === 0) throw invalid({ [field]: 'The submitted file is empty.' })
  return stored
}

function assertFile(
  file: ArrivingFile,
  names: readonly string[],
  stored: UploadedFile | undefined,
): void {
  if (!names.includes(file.field))
    throw invalid({ [field]: `No file was submitted. It is expected here, not in ${file.field}.` })
  if (stored) throw invalid({ [field]: 'Only one file can be submitted.' })
}
