import { randomUUID } from 'node:crypto'
import type { events } from '@reticle/contracts/api/events'
import type { requests } from '@reticle/contracts/api/requests'
import type { EventFilter } from '@reticle/contracts/rest/events'
import { type CallContext, type Service, signedIn } from '@reticle/kit'
import { runChange } from '@reticle/kit/db/change'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { type PostSettings, postRequest } from '../requests/post.ts'
import type { StorageCalls } from '../storage/cloud-storage.ts'
import { resolveExportDestination } from '../storage/destination.ts'
import type { ExportEventsWork } from '../work/request-work.ts'

interface Deps {
  db: Kysely<RequestsDb>
  services: { events: Pick<Service<typeof events>, 'permitEventExport'>; storages: StorageCalls }
  settings: PostSettings
}

type Input = Parameters<Service<typeof requests>['exportEvents']>[0]

/**
 * Queues an export of the event log. webhooks-svc restricts the filter to the events that the caller may read. Without
 * bounds, it starts at the first event, which for an object is its creation, and ends now.
 */
export async function queueEventExport(
  { db, services, settings }: Deps,
  input: Input,
  context: CallContext,
): Promise<{ rq_id: string }> {
  const now = new Date().toISOString()
  const filter = await services.events.permitEventExport(partOf(input, now), context)
  const defaultFilename = `logs_${now.slice(0, 19).replace(/[-T:]/g, '_')}.csv`
  const destination = await resolveExportDestination(
    input,
    { usual: defaultFilename },
    services.storages,
    context,
  )
  const params: ExportEventsWork['params'] = { filter, ...destination }

  const { user_id } = signedIn(context)
  const what = { action: 'export', target: 'events', target_id: 0 } as const
  const id = { ...what, uuid: randomUUID(), user_id }
  const none = { project_id: null, task_id: null, job_id: null }
  const facts = { ...none, organization_id: filter.org_id }
  return runChange(db, context, (tx) => postRequest(tx, { id, params, facts }, settings, context))
}

function partOf(input: Input, now: string): EventFilter {
  const { org_id = null, project_id = null, task_id = null, job_id = null, user_id = null } = input
  const { from = null, to = now } = input
  return { org_id, project_id, task_id, job_id, user_id, from, to }
}
