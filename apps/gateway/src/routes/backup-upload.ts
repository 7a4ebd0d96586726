import { backedUp, restoreQuery } from '@reticle/contracts/rest/backups'
import { DomainError } from '@reticle/kit'
import { announcedLength, bodyOf } from '../bodies/body.ts'
import { isForm } from '../call/request.ts'
import {
  createNoFileError,
  storeAndStart,
  storeOneFile,
  type Upload,
  type UploadCall,
  withoutCallId,
} from './upload.ts'

/** `POST /{projects|tasks}/backup/`: restore of a project or task from one archive. */

const field = 'backup_file'
/** Form fields of the file; CVAT clients use the second name. */
const fieldsOf = ({ operation }: UploadCall) =>
  [field, operation.path.startsWith('/projects/') ? 'project_file' : 'task_file'] as const

/** Handles a restore in a single call. */
export const restoreUpload: Upload = async (call, ports) => {
  const { requests } = ports.services
  const { uploadInput, filename, body } = readRestore(call)
  if (isElsewhere(uploadInput) || (filename && isEmpty(call))) return restoreFinish(call, ports)
  const { upload_id, prefix } = await requests.openUpload(uploadInput, withoutCallId(call.context))
  if (isEmpty(call)) throw createNoFileError(field)
  return storeAndStart(ports, {
    prefix,
    store: () => storeOneFile(call, ports, prefix, fieldsOf(call)),
    start: (file) => requests.startRestore({ body: { ...body, upload_id, file } }, call.context),
  })
}

/** Handles the first of several calls: input that the last call would refuse is refused now. */
export const restoreStart: Upload = async (call, { services }) =>
  services.requests.checkUpload(readRestore(call).uploadInput, call.context)

/** Handles the last call: `filename` is the former `Upload-Filename`. A file in the body takes precedence. */
export const restoreFinish: Upload = async (call, ports) => {
  const { requests } = ports.services
  const { uploadInput, filename, body } = readRestore(call)
  // Some clients send an empty form.
  if (isElsewhere(uploadInput))
    for await (const _ of bodyOf(call.request, ports.settings.maxBodyBytes));
  else if (!isEmpty(call) && isForm(call.request)) return restoreUpload(call, ports)
  else if (!filename) {
    await requests.checkUpload(uploadInput, call.context)
    throw createNoFileError(field)
  }
  return requests.startRestore({ body: { ...body, file_id: filename } }, call.context)
}

function readRestore({ operation, input }: UploadCall) {
  const { filename, rq_id, dry_run, ...source } = restoreQuery.parse(input)
  if (rq_id !== undefined) throw createPollingRemovedError()
  const target = backedUp.find((one) => operation.path.startsWith(`/${one}s/`))
  if (!target) throw new Error(`${operation.name} restores neither a project nor a task`)
  const uploadInput = { purpose: 'backup', target, id: 0, ...source } as const
  return { uploadInput, filename, body: { target, dry_run, ...source } }
}

/** Error for the former protocol, in which clients polled this operation for the progress of a restore. */
const createPollingRemovedError = () =>
  new DomainError('gone', 'This endpoint is no longer supported. Use GET /requests/{rq_id}')

const isElsewhere = ({ location }: { location?: string }) => location === 'cloud_storage'
const isEmpty = ({ request }: UploadCall) => announcedLength(request.raw) === 0
