import type { annotations } from '@reticle/contracts/api/annotations'
import type { requests } from '@reticle/contracts/api/requests'
import type { storages } from '@reticle/contracts/api/storages'
import type { UploadedFile } from '@reticle/contracts/rest/requests'
import { namesSources } from '@reticle/contracts/rest/sources'
import { type CallContext, changedMeanwhile, invalid, type Service, signedIn } from '@reticle/kit'
import { readIfMatch } from '@reticle/kit/call/etag'
import { changeAfter, runChange } from '@reticle/kit/db/change'
import type { Net } from '@reticle/kit/outgoing/guard'
import type { Kysely, Transaction } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { workParams } from '../operations/prepare/parameters.ts'
import type { Authority } from '../requests/access.ts'
import { type PostSettings, postRequest, requestRunning } from '../requests/post.ts'
import { isRunning } from '../requests/repo.ts'
import { optionsOf } from '../requests/rq-id.ts'
import type { StorageCalls } from '../storage/cloud-storage.ts'
import { comingFile, type ImportOrigin, resolveImportOrigin } from '../storage/origin.ts'
import { insertUpload } from '../storage/repo-uploads.ts'
import type { CreateWork, ImportDatasetWork, ImportWork } from '../work/request-work.ts'
import { type ClaimedUpload, claimUpload } from './claim-upload.ts'
import { claimFile } from './files/own-file.ts'
import {
  type Aim,
  assertAccepts,
  assertEmpty,
  assertImportable,
  assertName,
  assertSentHere,
  authorizeUpload,
  fieldOf,
  rqIdFor,
  targetOf,
  workOf,
} from './purposes.ts'
import { takeSession } from './sessions/take-session.ts'

interface UploadSettings {
  uploadTtlHours: number
  uploadBytesPerUser: number
  /** Non-public networks from which remote files may be fetched. */
  allowedNets: readonly Net[]
}

export interface UploadDeps {
  db: Kysely<RequestsDb>
  services: {
    tasks: Authority
    storages: StorageCalls & Pick<Service<typeof storages>, 'permitSource'>
    annotations: Pick<Service<typeof annotations>, 'getRevision'>
  }
  settings: PostSettings & UploadSettings
}

type Requests = Service<typeof requests>
type Handlers = Pick<
  Requests,
  'openUpload' | 'checkUpload' | 'startDataPreparation' | 'startImport'
>
type UploadInput = Parameters<Requests['openUpload']>[0]
type StartImport = Parameters<Requests['startImport']>[0]['body']

/** Creates the handlers of uploads: checked before their first byte, turned into a request after the last. */
export function uploadHandlers(deps: UploadDeps): Handlers {
  const { db, services, settings } = deps

  /**
   * Checks in advance what would be refused after the upload.
   *
   * @throws DomainError for a request that would be refused
   */
  const check = async (given: UploadInput, context: CallContext) => {
    const facts = await authorizeUpload(services.tasks, given, context)
    if (given.purpose === 'annotations' || given.purpose === 'dataset')
      assertImportable(given, facts)
    else assertAccepts(given, facts)
    if (given.purpose !== 'data') assertSentHere(given)
    const rq_id = rqIdFor(given)
    if (!given.dry_run && (await isRunning(db, rq_id))) throw requestRunning(rq_id)
    return facts
  }

  return {
    async openUpload(given, context) {
      const facts = await check(given, context)
      const { purpose, id: target_id } = given
      const owner_id = signedIn(context).user_id
      const upload = { purpose, target: targetOf(given), target_id, owner_id }
      return runChange(db, context, (tx) => insertUpload(tx, upload, facts.organization_id))
    },

    async checkUpload(given, context) {
      await check(given, context)
      return undefined
    },

    async startDataPreparation({ body }, context) {
      const { upload_id, task_id: id, parameters } = body
      const aim = { purpose: 'data', target: 'task', id } as const
      const prepare = async () => {
        const facts = await authorizeUpload(services.tasks, aim, context)
        assertEmpty(facts)
        const { cloud_storage_id } = parameters
        if (cloud_storage_id !== undefined)
          await services.storages.permitSource({ cloud_storage_id, task_id: id }, context)
        return facts
      }
      const needsNoFile = namesSources(parameters)
      return changeAfter(db, context, prepare, async (tx, facts) => {
        const session = { task_id: id, added: body.files, needsNoFile, facts }
        const { files, input_key } =
          upload_id === undefined
            ? await takeSession(tx, session, settings, context)
            : await takeUpload(tx, { ...aim, upload_id, files: body.files, needsNoFile }, context)
        const params: CreateWork['params'] = workParams(parameters, files, settings, context)
        const spec = { id: workOf(aim), params, facts, input_key, size_class: sizeClass(files) }
        return postRequest(tx, spec, settings, context)
      })
    },

    startImport: ({ body }, context) => startImport(deps, body, context),
  }
}

async function startImport(
  { db, services, settings }: UploadDeps,
  body: StartImport,
  context: CallContext,
): Promise<{ rq_id: string }> {
  const { target, id, conv_mask_to_poly, dry_run = false, if_match = null } = body
  const { names_default_subset } = body
  const purpose = target === 'project' ? 'dataset' : 'annotations'
  const aim = { purpose, target, id } as const
  const facts = await authorizeUpload(services.tasks, aim, context)
  const { format, import_mode } = assertImportable(body, facts)
  const origin = await originFor(services, body, context)
  if (if_match !== null) await assertUnchanged(services, { target, id, if_match }, context)
  return runChange(db, context, async (tx) => {
    const { input_key, ...given } = origin
      ? await comingFile(tx, origin, facts.organization_id)
      : await takeFile(tx, aim, body, context)
    assertName(aim, given.file.name)
    const importParams = { format, conv_mask_to_poly, dry_run, ...given }
    const ofSet: ImportWork['params'] = { ...importParams, import_mode, if_match }
    const params: ImportWork['params'] | ImportDatasetWork['params'] =
      purpose === 'dataset' ? { ...importParams, names_default_subset } : ofSet
    const size_class = sizeClass([given.file])
    // Each dry run has a unique id, so it excludes neither other dry runs nor real imports.
    const options = dry_run ? optionsOf({ dry_run, input_key }) : undefined
    const spec = { id: { ...workOf(aim), options }, format, params, facts, input_key, size_class }
    return postRequest(tx, spec, settings, context)
  })
}

/**
 * Refuses an outdated entity tag at once; a later change of the annotations fails the request.
 *
 * @throws DomainError precondition `annotations_changed`
 */
async function assertUnchanged(
  { annotations }: UploadDeps['services'],
  { target, id, if_match }: Pick<StartImport, 'target' | 'id'> & { if_match: string },
  context: CallContext,
): Promise<void> {
  const expected = readIfMatch(if_match)
  if (expected === 'any') return
  const { etag } = await annotations.getRevision({ target, id }, context)
  if (expected.includes(etag)) return
  throw changedMeanwhile('Annotations were changed by someone else', etag, 'annotations_changed')
}

/** Returns the source of an import; an uploaded file takes precedence over the source storage of the object. */
async function originFor(
  { storages }: UploadDeps['services'],
  { upload_id, target, id, file_id, location, cloud_storage_id }: StartImport,
  context: CallContext,
): Promise<ImportOrigin | undefined> {
  if (upload_id !== undefined) return undefined
  const spec = { location, cloud_storage_id, filename: file_id }
  return resolveImportOrigin(spec, { target, id }, storages, context)
}

type Tx = Transaction<RequestsDb>

/** Takes an uploaded file. */
export async function takeFile(tx: Tx, aim: Aim, sent: Sent, context: CallContext) {
  const { upload_id, file } = await fileOf(tx, aim, sent)
  const { input_key } = await takeUpload(tx, { ...aim, upload_id, files: [file] }, context)
  return { input_key, file, cloud_storage_id: null }
}

type Sent = Pick<StartImport, 'upload_id' | 'file' | 'file_id'>

/** Returns the file of the call, or the uploaded one that it names. */
async function fileOf(
  tx: Tx,
  { purpose }: Aim,
  { upload_id, file, file_id }: Sent,
): Promise<{ upload_id: string; file: UploadedFile }> {
  if (upload_id !== undefined && file) return { upload_id, file }
  if (!file_id) throw invalid({ [fieldOf(purpose)]: 'No file was submitted.' }, 'required')
  return claimFile(tx, file_id)
}

async function takeUpload(
  tx: Tx,
  { id: target_id, ...upload }: { id: number } & Omit<ClaimedUpload, 'target_id'>,
  context: CallContext,
) {
  const input_key = await claimUpload(tx, { ...upload, target_id }, context)
  return { files: [...upload.files], input_key }
}

const largeBytes = 500 * 1024 * 1024
const largeCount = 100_000

export function sizeClass(files: readonly { size: number }[]): 'small' | 'large' {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return bytes > largeBytes || files.length > largeCount ? 'large' : 'small'
}
