import { backedUp, restoreQuery } from '@reticle/contracts/rest/backups'
import { DomainError } from '@reticle/kit'
import { announcedLength, bodyOf } from '../body.ts'
import { isForm } from '../request.ts'
import { noFile, storeOneFile } from './one-file.ts'
import { beforeItsEffect, handOver, type Upload, type UploadCall } from './upload.ts'

/** `POST /{projects|tasks}/backup/`: one archive becomes a project or task (api-annotations 2.5). */

const field = 'backup_file'
/** As the de-facto standard's clients call it, too. */
const fieldsOf = ({ operation }: UploadCall) =>
  [field, operation.path.startsWith('/projects/') ? 'project_file' : 'task_file'] as const

/** All of it in one request. */
export const restoreUpload: Upload = async (call, ports) => {
  const { requests } = ports.services
  const { wish, filename, body } = askedBy(call)
  if (isElsewhere(wish) || (filename && isEmpty(call))) return restoreFinish(call, ports)
  const { upload_id, prefix } = await requests.openUpload(wish, beforeItsEffect(call.context))
  if (isEmpty(call)) throw noFile(field)
  return handOver(ports, {
    prefix,
    store: () => storeOneFile(call, ports, prefix, fieldsOf(call)),
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
    throw noFile(field)
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
