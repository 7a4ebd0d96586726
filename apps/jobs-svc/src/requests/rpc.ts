import type { requests } from '@reticle/contracts/api/requests'
import { notFound, type Service, signedIn } from '@reticle/kit'
import type { Kysely } from 'kysely'
import type { RequestsDb } from '../db/schema.ts'
import { type Authority, assertMay } from './access.ts'
import { cancelRequest } from './cancel.ts'
import { listRequests } from './list.ts'
import { toRequest, toTaskStatus } from './messages.ts'
import type { PostSettings } from './post.ts'
import { findRequest } from './repo.ts'
import { rqIdOf } from './rq-id.ts'
import { untilEnded } from './wait.ts'

export interface QueueDeps {
  db: Kysely<RequestsDb>
  services: { tasks: Authority }
  settings: Pick<PostSettings, 'resultTtlHours'>
}

type Requests = Service<typeof requests>

/** The queue of background work as callers see it (`spec/api-annotations.md` 2). */
export function queueHandlers({
  db,
  services,
  settings,
}: QueueDeps): Pick<Requests, 'listRequests' | 'getRequest' | 'getTaskStatus' | 'cancelRequest'> {
  const own = { db, authority: services.tasks, resultTtlHours: settings.resultTtlHours }
  return {
    async listRequests(query, context) {
      const { count, results } = await listRequests(db, signedIn(context).user_id, query)
      return { count, results: results.map(toRequest) }
    },

    async getRequest({ rq_id, wait = 0 }, context) {
      const row = await findRequest(db, rq_id)
      if (!row) throw notFound()
      await assertMay(services.tasks, 'view', row, context)
      return toRequest(await untilEnded(row, () => findRequest(db, rq_id), wait, context))
    },

    async getTaskStatus({ id }, context) {
      await services.tasks.authorize({ target: 'task', id, action: 'view' }, context)
      const rq_id = rqIdOf({ action: 'create', target: 'task', target_id: id })
      return toTaskStatus(await findRequest(db, rq_id))
    },

    async cancelRequest({ rq_id }, context) {
      await cancelRequest(own, rq_id, context)
      return undefined
    },
  }
}
