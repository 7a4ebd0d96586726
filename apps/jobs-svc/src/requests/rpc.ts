import type { organizations } from '@reticle/contracts/api/organizations'
import type { requests } from '@reticle/contracts/api/requests'
import { type CallContext, DomainError, notFound, type Service, signedIn } from '@reticle/kit'
import { toReleasable } from '@reticle/kit/rpc/releasable'
import { batchReads, sharedPause } from '@reticle/kit/scheduling/batch-reads'
import { createSlots } from '@reticle/kit/scheduling/slots'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { type Authority, assertMay } from './access.ts'
import { cancelRequest } from './cancel.ts'
import { followLines, mostStreams, pauseMs } from './follow.ts'
import { listRequests } from './list.ts'
import { type ShownRow, toRequest, toTaskStatus } from './messages.ts'
import type { PostSettings } from './post.ts'
import { findMoving, findRequest, findRequests, hasRunning } from './repo.ts'
import { rqIdOf } from './rq-id.ts'
import { createPauses, isRunning, mostWaits, untilEnded } from './wait.ts'

export interface QueueDeps {
  db: Kysely<RequestsDb>
  services: { tasks: Authority; organizations: Organizations }
  settings: Pick<PostSettings, 'resultTtlHours'>
}

type Requests = Service<typeof requests>
type Organizations = Pick<Service<typeof organizations>, 'findWorkspace'>

/** Creates the handlers of the queue of background work. */
export function queueHandlers({
  db,
  services,
  settings,
}: QueueDeps): Pick<
  Requests,
  | 'listRequests'
  | 'getRequest'
  | 'followRequests'
  | 'getTaskStatus'
  | 'cancelRequest'
  | 'findRunning'
> {
  const own = { db, authority: services.tasks, resultTtlHours: settings.resultTtlHours }
  return {
    async listRequests(query, context) {
      const wanted = await findOrganization(services.organizations, query.org, context)
      if (wanted === 'unknown') return { count: 0, results: [] }
      const { user_id } = signedIn(context)
      const { count, results } = await listRequests(db, user_id, query, wanted)
      return { count, results: results.map(toRequest) }
    },

    ...watchHandlers(db, services.tasks),

    async findRunning({ target, id }) {
      return { is_running: await hasRunning(db, target, id) }
    },

    async getTaskStatus({ id }, context) {
      await services.tasks.authorize({ target: 'task', id, action: 'view' }, context)
      const rq_id = rqIdOf({ action: 'create', target: 'task', target_id: id })
      return toTaskStatus(await findRequest(db, rq_id))
    },

    async cancelRequest(requested, context) {
      await cancelRequest(own, requested, context)
      return undefined
    },
  }
}

/** Shortest time between two reads for event streams, so that opening many of them does not cost a read each. */
const shortestGapMs = 100

/**
 * Handlers of calls that stay open while a request runs. Their reads are shared and their number per user is limited.
 */
function watchHandlers(
  db: Kysely<RequestsDb>,
  tasks: Authority,
): Pick<Requests, 'getRequest' | 'followRequests'> {
  const readOne = batchReads((rq_ids: readonly string[]) => findRequests(db, rq_ids))
  const readMoving = batchReads(
    (owner_ids: readonly number[]) => findMoving(db, owner_ids),
    shortestGapMs,
  )
  const pause = sharedPause(pauseMs)
  const pauses = createPauses()
  const streams = createSlots<number>(mostStreams, {
    text: `You have ${mostStreams} event streams open, which is the limit. Close one of them first.`,
    code: 'too_many_streams',
    retry_after: 5,
  })
  const waits = createSlots<number>(mostWaits, {
    text: `You have ${mostWaits} calls with "wait" open, which is the limit. Call without "wait", or later.`,
    code: 'too_many_waits',
    retry_after: 1,
  })

  async function findVisible(rq_id: string, context: CallContext): Promise<ShownRow> {
    const row = await findRequest(db, rq_id)
    if (!row) throw notFound()
    await assertMay(tasks, 'view', row, context)
    return row
  }

  return {
    async getRequest({ rq_id, wait = 0 }, context) {
      const row = await findVisible(rq_id, context)
      if (wait === 0 || !isRunning(row)) return toRequest(row)
      const slot = waits.take(signedIn(context).user_id)
      try {
        const waiting = { read: () => readOne(rq_id), seconds: wait, pauses }
        return toRequest(await untilEnded(row, waiting, context))
      } finally {
        slot.free()
      }
    },

    async followRequests({ rq_id }, context) {
      const { user_id } = signedIn(context)
      if (rq_id !== undefined) await findVisible(rq_id, context)
      const slot = streams.take(user_id)
      const read = async () => {
        if (rq_id === undefined) return (await readMoving(user_id)) ?? []
        const row = await readOne(rq_id)
        return row ? [row] : []
      }
      const following = { read, untilEnded: rq_id !== undefined, pause, slot }
      const lines = followLines(following, context)
      return { head: {}, chunks: toReleasable(lines, async () => slot.free()) }
    },
  }
}

/**
 * Returns the organization id of a slug; an empty slug means none. An unknown slug filters out everything instead of
 * failing.
 */
async function findOrganization(
  organizations: Organizations,
  slug: string | undefined,
  context: CallContext,
): Promise<number | null | undefined | 'unknown'> {
  if (slug === undefined) return undefined
  if (slug === '') return null
  try {
    return (await organizations.findWorkspace({ slug }, context)).organization_id
  } catch (thrown) {
    if (thrown instanceof DomainError && thrown.kind === 'not_found') return 'unknown'
    throw thrown
  }
}
