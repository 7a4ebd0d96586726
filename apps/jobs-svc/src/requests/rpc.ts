import type { organizations } from '@reticle/contracts/api/organizations'
import type { requests } from '@reticle/contracts/api/requests'
import { type Context, DomainError, notFound, type Service, signedIn } from '@reticle/kit'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { type Authority, assertMay } from './access.ts'
import { cancelRequest } from './cancel.ts'
import { followLines } from './follow.ts'
import { listRequests } from './list.ts'
import { toRequest, toTaskStatus } from './messages.ts'
import type { PostSettings } from './post.ts'
import { findMoving, findRequest, hasRunning } from './repo.ts'
import { rqIdOf } from './rq-id.ts'
import { untilEnded } from './wait.ts'

export interface QueueDeps {
  db: Kysely<RequestsDb>
  services: { tasks: Authority; organizations: Organizations }
  settings: Pick<PostSettings, 'resultTtlHours'>
}

type Requests = Service<typeof requests>
type Organizations = Pick<Service<typeof organizations>, 'findWorkspace'>

/** The queue of background work as callers see it (`spec/api-annotations.md` 2). */
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
      const wanted = await wantedOrganization(services.organizations, query.org, context)
      if (wanted === 'unknown') return { count: 0, results: [] }
      const { user_id } = signedIn(context)
      const { count, results } = await listRequests(db, user_id, query, wanted)
      return { count, results: results.map(toRequest) }
    },

    async getRequest({ rq_id, wait = 0 }, context) {
      const row = await findRequest(db, rq_id)
      if (!row) throw notFound()
      await assertMay(services.tasks, 'view', row, context)
      return toRequest(await untilEnded(row, () => findRequest(db, rq_id), wait, context))
    },

    async followRequests({ rq_id }, context) {
      const { user_id } = signedIn(context)
      if (rq_id === undefined) {
        const read = () => findMoving(db, user_id)
        return { head: {}, chunks: followLines({ read, untilEnded: false }, context) }
      }
      const row = await findRequest(db, rq_id)
      if (!row) throw notFound()
      await assertMay(services.tasks, 'view', row, context)
      const read = async () => [await findRequest(db, rq_id)].flatMap((found) => found ?? [])
      return { head: {}, chunks: followLines({ read, untilEnded: true }, context) }
    },

    async findRunning({ target, id }) {
      return { is_running: await hasRunning(db, target, id) }
    },

    async getTaskStatus({ id }, context) {
      await services.tasks.authorize({ target: 'task', id, action: 'view' }, context)
      const rq_id = rqIdOf({ action: 'create', target: 'task', target_id: id })
      return toTaskStatus(await findRequest(db, rq_id))
    },

    async cancelRequest(asked, context) {
      await cancelRequest(own, asked, context)
      return undefined
    },
  }
}

/** The organization of a slug, which is empty for none; a filter names no object, so that an unknown one finds nothing. */
async function wantedOrganization(
  organizations: Organizations,
  slug: string | undefined,
  context: Context,
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
