import { randomUUID } from 'node:crypto'
import { type DataParameters, dataParameters } from '@reticle/contracts/rest/media'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { namesSources } from '@reticle/contracts/rest/sources'
import { invalid, invalidInput } from '@reticle/kit'
import { formatIssue } from '@reticle/kit/call/validation'
import { z } from 'zod'
import { type ArrivingFile, type FormFields, type OnFile, readForm } from '../bodies/form.ts'
import { collectLists } from '../bodies/text-form.ts'
import { readValues } from '../bodies/url-form.ts'
import { isForm } from '../call/request.ts'
import type { GatewayPorts } from '../ports.ts'
import { storeAndStart, storeFile, type Upload, type UploadCall, withoutCallId } from './upload.ts'

/** `POST /tasks/:id/data`: images, or one archive of images, become the media of a task. */

export const mostFiles = 10_000
const limits = { files: mostFiles, fields: 20_000, parts: 30_000 }
const fileField = /^(?:client_files(?:\[\d+\])?|zip)$/
/** Fields that may contain a long list as JSON. */
const documents = [
  'job_file_mapping',
  'validation_params',
  'upload_file_order',
  'server_files',
  'server_files_exclude',
  'remote_files',
]
const noFile = 'No file was submitted.'
const target = z.object({ id: z.int() })
const taskOf = ({ input }: UploadCall) => target.parse(input).id
const mediaOf = (call: UploadCall) =>
  ({ purpose: 'data', target: 'task', id: taskOf(call) }) as const

/** Handles an upload in a single call. */
export const dataUpload: Upload = async (call, ports) => {
  const { requests } = ports.services
  const context = withoutCallId(call.context)
  const { upload_id, prefix } = await requests.openUpload(mediaOf(call), context)
  const start = (sent: SentData) => {
    if (sent.files.length === 0 && !namesSources(sent.parameters))
      throw invalid({ client_files: noFile }, 'required')
    const body = { upload_id, task_id: taskOf(call), ...sent }
    return requests.startDataPreparation({ body }, call.context)
  }
  if (!isForm(call.request))
    return start({ files: [], parameters: await readDocument(call, ports) })
  return storeAndStart(ports, { prefix, store: () => storeData(call, ports, prefix), start })
}

/** Handles the first of several calls: input that the last call would refuse is refused now. */
export const dataStart: Upload = async (call, { services }) =>
  services.requests.checkUpload(mediaOf(call), call.context)

/** Handles a call with some of the files. Parameters are ignored, because the last call repeats them. */
export const dataMultiple: Upload = async (call, ports) => {
  const { requests } = ports.services
  const task_id = taskOf(call)
  if (!isForm(call.request)) throw invalid({ client_files: noFile }, 'required')
  const session = await requests.openSession({ id: task_id }, withoutCallId(call.context))
  const { upload_id, prefix } = withCallPrefix(session)
  return storeAndStart(ports, {
    prefix,
    store: () => storeData(call, ports, prefix),
    start: ({ files }) => {
      if (files.length === 0) throw invalid({ client_files: noFile }, 'required')
      return requests.addFiles({ body: { upload_id, task_id, files } }, call.context)
    },
  })
}

/** Handles the last call: parameters for all files, and optionally more files. */
export const dataFinish: Upload = async (call, ports) => {
  const { requests } = ports.services
  const task_id = taskOf(call)
  const start = (sent: SentData) =>
    requests.startDataPreparation({ body: { task_id, ...sent } }, call.context)
  if (!isForm(call.request))
    return start({ files: [], parameters: await readDocument(call, ports) })
  const session = await requests.openSession({ id: task_id }, withoutCallId(call.context))
  const { prefix } = withCallPrefix(session)
  return storeAndStart(ports, { prefix, store: () => storeData(call, ports, prefix), start })
}

/** Returns a session with a separate key prefix for this call, so that a refused call removes only its own objects. */
const withCallPrefix = <S extends { prefix: string }>(session: S): S => ({
  ...session,
  prefix: `${session.prefix}${randomUUID()}/`,
})

interface SentData {
  files: UploadedFile[]
  parameters: DataParameters
}

async function storeData(
  { request, context: { signal } }: UploadCall,
  { blobs, settings }: GatewayPorts,
  prefix: string,
): Promise<SentData> {
  const files: UploadedFile[] = []
  const names = new Set<string>()
  const onFile: OnFile = async (file, halt) => {
    assertFile(file, names)
    names.add(file.name)
    files.push(await storeFile(blobs, `${prefix}${files.length}`, file, halt))
  }
  const maxBytes = settings.maxMultipartBytes
  const fields = await readForm(request, { limits, maxBytes, signal, onFile, documents })
  return { files, parameters: readParameters(fields) }
}

function assertFile({ field, name }: ArrivingFile, before: ReadonlySet<string>): void {
  if (!fileField.test(field))
    throw invalid({
      [field]:
        'No file is expected here. Send files as client_files[0], client_files[1] and so on.',
    })
  if (before.has(name)) throw invalid({ client_files: `The file ${name} was submitted twice.` })
}

/** Reads parameters without files; null values count as missing. */
async function readDocument(
  { request }: UploadCall,
  { settings }: GatewayPorts,
): Promise<DataParameters> {
  const sent = await readValues(request, settings.maxBodyBytes)
  const read = document.safeParse(sent ?? {}, { error: formatIssue })
  if (read.error) throw invalidInput(read.error.issues)
  const provided = Object.entries(read.data).filter(([, value]) => value !== null)
  return readParameters(Object.fromEntries(provided))
}

const document = z.record(z.string(), z.unknown())

/**
 * Reads the parameters of media from the fields of a form.
 * @throws DomainError invalid, naming the field
 */
function readParameters(fields: FormFields): DataParameters {
  const read = dataParameters.safeParse(collectLists(fields), { error: formatIssue })
  if (read.error) throw invalidInput(read.error.issues)
  return read.data
}
