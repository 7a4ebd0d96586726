import { createHash } from 'node:crypto'
import type { annotations } from '@reticle/contracts/api/annotations'
import type { events } from '@reticle/contracts/api/events'
import type { requests } from '@reticle/contracts/api/requests'
import type { Facts } from '@reticle/contracts/rest/facts'
import { type CallContext, invalidText, type Service, signedIn } from '@reticle/kit'
import { runChange } from '@reticle/kit/db/change'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import type { Authority } from '../requests/access.ts'
import { type PostSettings, postRequest } from '../requests/post.ts'
import { optionsOf } from '../requests/rq-id.ts'
import type { StorageCalls } from '../storage/cloud-storage.ts'
import { resolveExportDestination } from '../storage/destination.ts'
import { chooseExporter } from '../work/format-lookup.ts'
import type { ExportWork } from '../work/request-work.ts'
import { queueEventExport } from './queue-event-export.ts'
import { getResultFile } from './results.ts'

export interface ExportDeps {
  db: Kysely<RequestsDb>
  services: {
    tasks: Authority
    annotations: Pick<Service<typeof annotations>, 'getRevision'>
    events: Pick<Service<typeof events>, 'permitEventExport'>
    storages: StorageCalls
  }
  settings: PostSettings
}

type Requests = Service<typeof requests>
type ExportInput = Parameters<Requests['exportTaskDataset']>[0]

/** Creates the handlers of exports and of their files. */
export function exportHandlers(
  deps: ExportDeps,
): Pick<
  Requests,
  | 'exportProjectDataset'
  | 'exportTaskDataset'
  | 'exportJobDataset'
  | 'exportEvents'
  | 'getResultFile'
> {
  const { db, services, settings } = deps
  const { tasks: authority, events } = services
  const own = { db, authority, events, resultTtlHours: settings.resultTtlHours }
  return {
    exportProjectDataset: (input, context) => startExport(deps, 'project', input, context),
    exportTaskDataset: (input, context) => startExport(deps, 'task', input, context),
    exportJobDataset: (input, context) => startExport(deps, 'job', input, context),
    exportEvents: (input, context) => queueEventExport(deps, input, context),
    getResultFile: (given, context) => getResultFile(own, given, context),
  }
}

async function startExport(
  { db, services, settings }: ExportDeps,
  target: ExportWork['target'],
  input: ExportInput,
  context: CallContext,
): Promise<{ rq_id: string }> {
  const { id: target_id, save_images } = input
  const facts = await services.tasks.authorize({ target, id: target_id, action: 'export' }, context)
  const { name: format } = chooseExporter(input.format, facts.dimension)
  if (target !== 'project' && facts.size === 0)
    throw invalidText('This task data has not been initialized yet')
  const defaultFilename = defaultName({ target, target_id, format, save_images, facts })
  const object = { target, id: target_id }
  const destination = await resolveExportDestination(
    input,
    { usual: defaultFilename, object },
    services.storages,
    context,
  )
  const { frames, label_id, only_annotated, job_state, min_score } = input
  const only = { frames, label_id, only_annotated, job_state, min_score }
  const params: ExportWork['params'] = { only, format, save_images, ...destination }

  const { etag } = await services.annotations.getRevision({ target, id: target_id }, context)
  const subresource = save_images ? 'dataset' : 'annotations'
  const { user_id } = signedIn(context)
  const options = optionsOf(only)
  const id = { action: 'export', target, target_id, user_id, format, subresource, options } as const
  const what = [target, target_id, subresource, format, etag, options ?? '']
  // Not cacheable: the states of jobs change without a new revision.
  const cache_key = job_state === undefined ? cacheKey(what, facts) : undefined
  const spec = { id, format, params, facts, cache_key, size_class: sizeClass(facts, save_images) }
  return runChange(db, context, (tx) => postRequest(tx, spec, settings, context))
}

/** Returns a key that changes when the annotations or anything else of the object change. */
function cacheKey(
  parts: readonly (string | number)[],
  { updated_date, labels_revision }: Facts,
): string {
  return createHash('sha256')
    .update(JSON.stringify([...parts, updated_date, labels_revision]))
    .digest('hex')
}

const largeCount = 100_000

/**
 * Returns the size class of an export. Projects with images count as large, because their number of frames is unknown.
 */
const sizeClass = ({ target, size }: Facts, save_images: boolean): 'small' | 'large' =>
  save_images && (size > largeCount || target === 'project') ? 'large' : 'small'

interface Named {
  target: 'project' | 'task' | 'job'
  target_id: number
  format: string
  save_images: boolean
  facts: Pick<Facts, 'updated_date'>
}

/** Returns the default file name of an export, from its object, content, date and format. */
function defaultName({ target, target_id, format, save_images, facts }: Named): string {
  const what = save_images ? 'dataset' : 'annotations'
  const date = facts.updated_date.slice(0, 19).replace(/[-T:]/g, '_')
  return `${target}_${target_id}_${what}_${date}_${format}.zip`.toLowerCase()
}
