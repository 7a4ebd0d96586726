import type { requests } from '@reticle/contracts/api/requests'
import { notFound, type Service, signedIn } from '@reticle/kit'
import { getResultFile } from '../exports/results.ts'
import { type ExportDeps, exportHandlers } from '../exports/rpc.ts'
import { type UploadDeps, uploadHandlers } from '../uploads/rpc.ts'
import { assertMay } from './access.ts'
import { cancelRequest } from './cancel.ts'
import { listRequests } from './list.ts'
import { toRequest } from './messages.ts'
import { findRequest } from './repo.ts'
import { untilEnded } from './wait.ts'

/** The queue of background work as callers see it (`spec/api-annotations.md` 2). */
export function requestHandlers(deps: ExportDeps & UploadDeps): Service<typeof requests> {
  const { db, services, settings } = deps
  const { result_ttl_hours } = settings
  const own = { db, authority: services.tasks, result_ttl_hours }
  return {
    ...exportHandlers(deps),
    ...uploadHandlers(deps),

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

    async cancelRequest({ rq_id }, context) {
      await cancelRequest(own, rq_id, context)
      return undefined
    },
    getResultFile: async (given, context) => getResultFile(own, given, context),
  }
}
