import type { events } from '@reticle/contracts/api/events'
import { eventFilter } from '@reticle/contracts/rest/events'
import type { resultFile } from '@reticle/contracts/rest/requests'
import {
  type CallContext,
  DomainError,
  invalidText,
  notFound,
  type Service,
  signedIn,
} from '@reticle/kit'
import { forbidden } from '@reticle/kit/call/errors'
import { changeAfter } from '@reticle/kit/db/change'
import type { Kysely } from 'kysely'
import { z } from 'zod'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { type Authority, assertMay } from '../requests/access.ts'
import {
  deleteRequest,
  extendLife,
  findEverPosted,
  lockRequest,
  lockTenant,
} from '../requests/repo.ts'
import { dropUnusedResult } from '../storage/repo-objects.ts'
import type { RequestTarget } from '../work/request-work.ts'
import { writesToCloudStorage } from '../work/request-work.ts'

interface Deps {
  db: Kysely<RequestsDb>
  authority: Authority
  events: Pick<Service<typeof events>, 'permitEventExport'>
  resultTtlHours: number
}

interface ResultQuery {
  target: RequestTarget
  id: number
  rq_id?: string
  is_last?: boolean
}

type ResultFile = z.infer<typeof resultFile>

/**
 * Returns the file of a finished export, for its owner while they may export the object, and for administrators. A
 * download extends its lifetime, unless it is marked as the last one (docs/spec/requests.md#results).
 */
export async function getResultFile(
  deps: Deps,
  query: ResultQuery,
  context: CallContext,
): Promise<ResultFile> {
  const { db, resultTtlHours } = deps
  if (query.is_last) return takeResultFile(deps, query, context)
  const row = await findFinished(deps, query, context)
  await extendLife(db, row, resultTtlHours * 3600)
  return fileOf(row)
}

/** Deletes the request at once, but only marks its object, which stays for an hour, so that the download can finish. */
function takeResultFile(deps: Deps, query: ResultQuery, context: CallContext): Promise<ResultFile> {
  const find = () => findFinished(deps, query, context)
  return changeAfter(deps.db, context, find, async (tx, { tenant, rq_id }) => {
    await lockTenant(tx, tenant)
    const row = await lockRequest(tx, rq_id)
    if (!row) throw expired()
    const file = fileOf(row)
    await deleteRequest(tx, row)
    await dropUnusedResult(tx, row.result_key)
    return file
  })
}

async function findFinished(
  { db, authority, events }: Deps,
  { target, id, rq_id }: ResultQuery,
  context: CallContext,
): Promise<RequestRow> {
  if (rq_id === undefined || rq_id === '') throw invalidText('rq_id was not provided')
  const row = await findEverPosted(db, rq_id)
  if (row?.action !== 'export') throw invalidText('Unknown export request id')
  await assertMay(authority, 'download', row, context)
  if (row.target !== target || row.target_id !== id)
    throw invalidText(
      `This request is no export of ${target === 'events' ? target : `${target} ${id}`}`,
    )
  if (isExpired(row)) throw expired()
  if (row.status !== 'finished' || row.finished_date === null)
    throw invalidText('The export process is not finished', 'request_not_finished')
  if (writesToCloudStorage(row.params))
    throw invalidText('The export process has no result file to be downloaded locally')
  await assertMayStillExport({ authority, events }, row, context)
  return row
}

/**
 * Checks the current permission: since the export, the owner may have lost their membership or role, or the object may
 * have moved.
 *
 * @throws DomainError forbidden; not_found when the object is deleted
 */
async function assertMayStillExport(
  { authority, events }: Pick<Deps, 'authority' | 'events'>,
  { target, target_id: id, params }: RequestRow,
  context: CallContext,
): Promise<void> {
  const caller = signedIn(context)
  if (caller.role === 'admin') return
  if (target !== 'events') return assertMayExport(authority, { target, id }, context)
  const { filter } = eventParams.parse(params)
  const unscoped = { ...context, principal: { ...caller, scope: null } }
  const visible = await events.permitEventExport(filter, unscoped)
  if (visible.user_id !== filter.user_id) throw forbidden()
}

async function assertMayExport(
  authority: Authority,
  { target, id }: { target: Exclude<RequestTarget, 'events'>; id: number },
  context: CallContext,
): Promise<void> {
  try {
    await authority.authorize({ target, id, action: 'export' }, context)
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.kind === 'not_found') throw expired()
    throw thrown
  }
}

const eventParams = z.object({ filter: eventFilter })

const named = z.object({ filename: z.string() })

function fileOf(row: RequestRow): ResultFile {
  const { result_key: key, result_size: size, finished_date } = row
  if (key === null || size === null || finished_date === null) throw expired()
  return {
    key,
    size,
    filename: named.parse(row.params).filename,
    etag: `"${key.split('/').slice(-2).join('-')}"`,
    media_type: row.target === 'events' ? 'text/csv' : 'application/zip',
    finished_date: finished_date.toISOString(),
  }
}

const isExpired = ({ expiry_date }: RequestRow) =>
  expiry_date !== null && expiry_date.getTime() <= Date.now()

const expired = () =>
  notFound('The exported file has expired, please retry exporting', 'result_expired')
