import { randomUUID } from 'node:crypto'
import { requestQueued } from '@reticle/contracts/events/requests'
import type { Facts } from '@reticle/contracts/rest/facts'
import { type CallContext, DomainError, signedIn } from '@reticle/kit'
import { emit } from '@reticle/kit/outbox/emit'
import type { Transaction } from 'kysely'
import type { RequestRow, RequestsDb } from '../db/schema.ts'
import { dropUnusedResult } from '../storage/repo-objects.ts'
import { writesToCloudStorage } from '../work/request-work.ts'
import {
  countQueued,
  deleteRequest,
  extendLife,
  insertRequest,
  lockCached,
  lockRequest,
  lockTenant,
  sharedFile,
  sharedResult,
} from './repo.ts'
import { afterEnd, endColumns } from './repo-ending.ts'
import { type RqIdParts, rqIdOf } from './rq-id.ts'

type Tx = Transaction<RequestsDb>

export interface PostSettings {
  queuedPerUser: number
  queuedPerTenant: number
  resultTtlHours: number
}

/** Specification of a request to post; identity, tenant and owner follow from it and from the context. */
export interface RequestSpec {
  id: RqIdParts
  /** Format as the record shows it, whether or not it is part of the id. */
  format?: string
  params: unknown
  facts: Pick<Facts, 'project_id' | 'task_id' | 'job_id' | 'organization_id'>
  size_class?: RequestRow['size_class']
  /** Requests with equal keys have equal results: one makes the result, the others share it. */
  cache_key?: string
  /** Blob key prefix of the uploaded files. */
  input_key?: string
}

/**
 * Queues a request, or finishes it at once from a cached result. A request whose result goes to a cloud storage is
 * queued even with a cached result, because the transfer remains. Replaces an ended request with the same id.
 *
 * @throws DomainError conflict with body `{rq_id}` while such a request runs; too_many beyond the queue's limits
 */
export async function postRequest(
  tx: Tx,
  spec: RequestSpec,
  settings: PostSettings,
  context: CallContext,
): Promise<{ rq_id: string }> {
  const row = rowOf(spec, context)
  await lockTenant(tx, row.tenant)
  const before = await lockRequest(tx, row.rq_id)
  if (before && !isOver(before)) throw requestRunning(row.rq_id)
  // Before the ended request is deleted: its file may be the cached result.
  const cached = spec.cache_key === undefined ? undefined : await lockCached(tx, spec.cache_key)
  if (before) await deleteRequest(tx, before)
  if (cached && !writesToCloudStorage(spec.params)) await finishFrom(tx, cached, row, settings)
  else await queue(tx, { ...row, ...(cached && sharedFile(cached)) }, settings, context)
  if (before) await dropUnusedResult(tx, before.result_key)
  return { rq_id: row.rq_id }
}

const isOver = ({ status }: RequestRow) => status !== 'queued' && status !== 'started'

/** Builds the 409 error whose body clients use to follow the running request. */
export function requestRunning(rq_id: string): DomainError {
  const text = 'The same request is queued or started already.'
  return new DomainError('conflict', text, { code: 'request_running', body: { rq_id } })
}

async function queue(
  tx: Tx,
  row: NewRow,
  limits: PostSettings,
  context: CallContext,
): Promise<void> {
  await assertQueueOpen(tx, row, limits)
  const inserted = await insertRequest(tx, { ...row, status: 'queued' })
  if (!inserted) throw requestRunning(row.rq_id)
  const { tenant, request_uuid, org_id } = inserted
  const cause = { ...context, organization_id: org_id }
  await emit(tx, requestQueued, { tenant, request_uuid }, cause)
}

async function finishFrom(
  tx: Tx,
  cached: RequestRow,
  row: NewRow,
  { resultTtlHours }: PostSettings,
): Promise<void> {
  const finished = await insertRequest(tx, {
    ...row,
    ...sharedResult(cached),
    ...endColumns(cached, 'finished', resultTtlHours),
  })
  if (!finished) throw requestRunning(row.rq_id)
  await extendLife(tx, cached, resultTtlHours * 3600)
  await afterEnd(tx, finished)
}

async function assertQueueOpen(tx: Tx, row: NewRow, limits: PostSettings): Promise<void> {
  const { owner_id, tenant } = row
  if ((await countQueued(tx, 'owner_id', owner_id)) >= limits.queuedPerUser)
    throw tooMany(`${limits.queuedPerUser} requests of yours are queued already.`)
  if ((await countQueued(tx, 'tenant', tenant)) >= limits.queuedPerTenant)
    throw tooMany(`${limits.queuedPerTenant} requests of this workspace are queued already.`)
}

const tooMany = (detail: string) =>
  new DomainError('too_many', detail, { code: 'too_many_requests', retry_after: 60 })

/** Returns the tenant in whose queue the request waits. */
export const tenantOf = (org_id: number | null, user_id: number): string =>
  org_id === null ? `user:${user_id}` : `org:${org_id}`

type NewRow = ReturnType<typeof rowOf>

function rowOf(spec: RequestSpec, context: CallContext) {
  const caller = signedIn(context)
  const { format, cache_key, input_key, size_class } = spec
  const { action, target, target_id, subresource } = spec.id
  const { project_id, task_id, job_id, organization_id: org_id } = spec.facts
  return {
    request_uuid: randomUUID(),
    rq_id: rqIdOf(spec.id),
    action,
    target,
    target_id,
    subresource,
    format,
    params: JSON.stringify(spec.params),
    project_id,
    task_id,
    job_id,
    org_id,
    size_class,
    cache_key,
    input_key,
    owner_id: caller.user_id,
    principal: JSON.stringify(caller),
    traceparent: context.traceparent,
    tenant: tenantOf(org_id, caller.user_id),
  }
}
