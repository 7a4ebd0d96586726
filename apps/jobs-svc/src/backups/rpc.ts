import type { requests } from '@reticle/contracts/api/requests'
import { type CallContext, invalidText, type Service, signedIn } from '@reticle/kit'
import { runChange } from '@reticle/kit/db/change'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import type { Authority } from '../requests/access.ts'
import { type PostSettings, postRequest } from '../requests/post.ts'
import { optionsOf } from '../requests/rq-id.ts'
import type { StorageCalls } from '../storage/cloud-storage.ts'
import { resolveExportDestination } from '../storage/destination.ts'
import { comingFile, resolveImportOrigin } from '../storage/origin.ts'
import { authorizeUpload, workOf } from '../uploads/purposes.ts'
import { sizeClass, takeFile } from '../uploads/rpc.ts'
import type { BackupWork, RestoreWork } from '../work/request-work.ts'

export interface BackupHandlerDeps {
  db: Kysely<RequestsDb>
  services: { tasks: Authority; storages: StorageCalls }
  settings: PostSettings
}

type Requests = Service<typeof requests>
type ExportInput = Parameters<Requests['exportTaskBackup']>[0]

/** Creates the handlers of backups and restores. */
export function backupHandlers(
  deps: BackupHandlerDeps,
): Pick<Requests, 'exportProjectBackup' | 'exportTaskBackup' | 'startRestore'> {
  return {
    exportProjectBackup: (input, context) => startBackup(deps, 'project', input, context),
    exportTaskBackup: (input, context) => startBackup(deps, 'task', input, context),
    startRestore: ({ body }, context) => startRestore(deps, body, context),
  }
}

/**
 * Queues a backup. It is never finished from a cached result, because no single revision covers its states of jobs,
 * issues and guides.
 */
async function startBackup(
  { db, services, settings }: BackupHandlerDeps,
  target: BackupWork['target'],
  input: ExportInput,
  context: CallContext,
): Promise<{ rq_id: string }> {
  const { id: target_id, lightweight } = input
  const facts = await services.tasks.authorize({ target, id: target_id, action: 'export' }, context)
  if (target === 'task' && facts.size === 0)
    throw invalidText('This task data has not been initialized yet')
  const defaultFilename = usualName({ ...facts, target, lightweight })
  const object = { target, id: target_id }
  const destination = await resolveExportDestination(
    input,
    { usual: defaultFilename, object },
    services.storages,
    context,
  )
  const params: BackupWork['params'] = { lightweight, ...destination }
  const { user_id } = signedIn(context)
  const what = { action: 'export', target, target_id, user_id, subresource: 'backup' } as const
  const id = { ...what, ...(lightweight && ({ lightweight: 'True' } as const)) }
  const isLarge = target === 'project' || facts.size > largeCount
  const size_class = isLarge ? ('large' as const) : ('small' as const)
  const spec = { id, params, facts, size_class }
  return runChange(db, context, (tx) => postRequest(tx, spec, settings, context))
}

const largeCount = 100_000

/** Queues the restore of an archive as a project or task of the caller, in the workspace of the call. */
async function startRestore(
  { db, services, settings }: BackupHandlerDeps,
  body: RestoreInput,
  context: CallContext,
): Promise<{ rq_id: string }> {
  const { target, dry_run = false } = body
  const aim = { purpose: 'backup', target, id: 0 } as const
  const facts = await authorizeUpload(services.tasks, aim, context)
  const named = { ...body, filename: body.file_id }
  const origin = await resolveImportOrigin(named, undefined, services.storages, context)
  return runChange(db, context, async (tx) => {
    const { input_key, ...given } = origin
      ? await comingFile(tx, origin, facts.organization_id)
      : await takeFile(tx, aim, body, context)
    const params: RestoreWork['params'] = { dry_run, ...given }
    const size_class = sizeClass([given.file])
    const options = dry_run ? optionsOf({ dry_run }) : undefined
    const spec = { id: { ...workOf(aim), options }, params, facts, input_key, size_class }
    return postRequest(tx, spec, settings, context)
  })
}
type RestoreInput = Parameters<Requests['startRestore']>[0]['body']

interface Named extends Pick<BackupWork, 'target'> {
  name: string
  lightweight: boolean
  updated_date: string
}

/** Longest part of a name in a file name, so that the whole file name fits. */
const longestName = 40

function usualName({ target, name, lightweight, updated_date }: Named): string {
  const plain = name.replace(/[\p{Cc}/\\]/gu, '_')
  const date = updated_date.slice(0, 19).replace(/[-T:]/g, '_')
  const words = [target, [...plain].slice(0, longestName).join(''), 'backup']
  return `${words.join('_')}${lightweight ? '-lightweight' : ''}_${date}.zip`.toLowerCase()
}
