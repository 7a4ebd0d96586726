import type { webhooks } from '@reticle/contracts/api/webhooks'
import { notFound, type Service } from '@reticle/kit'
import { readListPage } from '@reticle/kit/list/page'
import { findPermitted, type PermitDeps } from '../webhooks/permit.ts'
import { toDelivery } from './messages.ts'
import { countDeliveries, deliveryViews } from './repo.ts'

type Handlers = Pick<Service<typeof webhooks>, 'listDeliveries' | 'getDelivery'>

/** Creates the handlers for deliveries. They require the permission to view the webhook. */
export function deliveryHandlers(deps: PermitDeps): Handlers {
  const { db } = deps
  return {
    async listDeliveries({ id, page, page_size }, context) {
      await findPermitted(deps, 'view', id, context)
      const newest = deliveryViews(db, id)
        .orderBy('delivery.updated_date', 'desc')
        .orderBy('delivery.id', 'desc')
      const { count, results } = await readListPage(
        { page, page_size },
        () => countDeliveries(db, id),
        (limit, offset) => newest.limit(limit).offset(offset).execute(),
      )
      return { count, results: results.map(toDelivery) }
    },

    async getDelivery({ id, delivery_id }, context) {
      await findPermitted(deps, 'view', id, context)
      const found = await deliveryViews(db, id)
        .where('delivery.id', '=', delivery_id)
        .executeTakeFirst()
      if (!found) throw notFound()
      return toDelivery(found)
    },
  }
}
