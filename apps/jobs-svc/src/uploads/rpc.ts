import type { requests } from '@reticle/contracts/api/requests'
import type { Facts } from '@reticle/contracts/rest/facts'
import { type Context, invalid, invalidText, type Service, signedIn } from '@reticle/kit'
import { change, changeAfter } from '@reticle/kit/db/change'
import type { Kysely } from 'kysely'
import type { JobsSettings } from '../config.ts'
import type { RequestsDb } from '../db/schema.ts'
import { chooseImporter } from '../formats/lookup.ts'
import type { Authority } from '../requests/access.ts'
import { type PostSettings, postRequest, requestRunning } from '../requests/post.ts'
import { isRunning } from '../requests/repo.ts'
import { type RqIdParts, rqIdOf } from '../requests/rq-id.ts'
import { type CreateWork, type ImportWork, importModes } from '../requests/work.ts'
import { workParams } from '../sources/parameters.ts'
import { claimUpload } from './claim-upload.ts'
import { insertUpload } from './repo.ts'

export interface UploadDeps {
  db: Kysely<RequestsDb>
  services: { tasks: Authority }
  settings: PostSettings & Pick<JobsSettings, 'allowedNets'>
}

type Requests = Service<typeof requests>
type Handlers = Pick<Requests, 'openUpload' | 'startDataPreparation' | 'startImport'>
type OpenUpload = Parameters<Requests['openUpload']>[0]

/** Uploads: allowed or refused before their first byte, turned into a request after the last. */
export function uploadHandlers({ db, services, settings }: UploadDeps): Handlers {
  const authorize = (target: 'task' | 'job', id: number, action: string, context: Context) =>
    services.tasks.authorize({ target, id, action }, context)

  return {
    async openUpload(given, context) {
      const { purpose, id: target_id } = given
      const target = taskOrJob(given.target)
      const facts = await authorize(target, target_id, actionOf[purpose], context)
      if (given.purpose === 'data') ofEmpty(facts)
      else assertImportable(given, facts)
      const rq_id = rqIdOf(identity(purpose, target, target_id))
      if (await isRunning(db, rq_id)) throw requestRunning(rq_id)
      const upload = { purpose, target, target_id, owner_id: signedIn(context).user_id }
      return change(db, context, (tx) => insertUpload(tx, upload, facts.organization_id))
    },

    async startDataPreparation({ body }, context) {
      const { upload_id, task_id: target_id, files, parameters } = body
      const target = 'task'
      const prepare = async () => {
        const facts = ofEmpty(await authorize(target, target_id, actionOf.data, context))
        return { facts, params: workParams(parameters, files, settings) }
      }
      return changeAfter(db, context, prepare, async (tx, { facts, params }) => {
        const input_key = await claimUpload(tx, uploadOf(upload_id, target_id, params), context)
        const id = identity('data', target, target_id)
        const wish = { id, params, facts, input_key, size_class: sizeClass(files) }
        return postRequest(tx, wish, settings, context)
      })
    },

    async startImport({ body }, context) {
      const { upload_id, id: target_id, file, if_match = null } = body
      const target = taskOrJob(body.target)
      const facts = await authorize(target, target_id, actionOf.annotations, context)
      const { format, import_mode } = assertImportable(body, facts)
      const { conv_mask_to_poly } = body
      const params: ImportWork['params'] = {
        format,
        import_mode,
        conv_mask_to_poly,
        if_match,
        file,
      }
      return change(db, context, async (tx) => {
        const files = [file]
        const upload = { upload_id, purpose: 'annotations', target, target_id, files } as const
        const input_key = await claimUpload(tx, upload, context)
        const id = identity('annotations', target, target_id)
        const wish = { id, format, params, facts, input_key, size_class: sizeClass(files) }
        return postRequest(tx, wish, settings, context)
      })
    },
  }
}

/** What is claimed for media: files, unless they come from elsewhere. */
function uploadOf(upload_id: string, target_id: number, params: CreateWork['params']) {
  const { files, server_files, remote_files } = params
  const needsNoFile = server_files.length > 0 || remote_files.length > 0
  return { upload_id, purpose: 'data', target: 'task', target_id, files, needsNoFile } as const
}

const actionOf = { data: 'upload:data', annotations: 'import' } as const
const largeBytes = 500 * 1024 * 1024
const largeCount = 100_000

const identity = (
  purpose: OpenUpload['purpose'],
  target: 'task' | 'job',
  target_id: number,
): RqIdParts =>
  purpose === 'data'
    ? { action: 'create', target, target_id }
    : { action: 'import', target, target_id, subresource: 'annotations' }

function sizeClass(files: readonly { size: number }[]): 'small' | 'large' {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return bytes > largeBytes || files.length > largeCount ? 'large' : 'small'
}

function taskOrJob(target: OpenUpload['target']): 'task' | 'job' {
  if (target === 'project') throw invalidText('Files are uploaded to a task or a job')
  return target
}

/** Facts of a task that has no media yet. */
function ofEmpty(facts: Facts): Facts {
  if (facts.target !== 'task') throw invalidText('Media is attached to a task')
  if (facts.size > 0) throw invalidText('Adding more data is not supported')
  return facts
}

interface ImportWish {
  format?: string
  import_mode?: string
  location?: string
}

/** @returns the format's own name and the mode, both known */
function assertImportable(
  { format, import_mode = 'replace', location = 'local' }: ImportWish,
  facts: Facts,
) {
  const importer = chooseImporter(format, facts.dimension)
  const mode = importModes.find((one) => one === import_mode)
  if (!mode) throw invalid({ import_mode: `"${import_mode.slice(0, 100)}" is not a valid choice.` })
  if (location !== 'local')
    throw invalidText(
      `Importing from the location '${location.slice(0, 100)}' is not supported, only from 'local'`,
    )
  if (facts.size === 0) throw invalidText('This task data has not been initialized yet')
  return { format: importer.name, import_mode: mode }
}
