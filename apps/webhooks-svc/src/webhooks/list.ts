import type { Input } from '@reticle/contracts/api/operation'
import type { webhooks } from '@reticle/contracts/api/webhooks'
import type { Principal } from '@reticle/contracts/principal'
import { paged } from '@reticle/kit/list/page'
import { readSort } from '@reticle/kit/list/sort'
import type { Kysely } from 'kysely'
import type { WebhooksDb } from '../db/schema.ts'
import type { WebhookView } from './messages.ts'
import { webhookViews } from './repo.ts'

type Query = Input<typeof webhooks.listWebhooks>

const columns = {
  id: 'webhook.id',
  target_url: 'webhook.target_url',
  owner: 'webhook.owner_username',
  type: 'webhook.type',
  project_id: 'webhook.project_id',
  description: 'webhook.description',
  updated_date: 'webhook.updated_date',
} as const
const names = [
  'id',
  'target_url',
  'owner',
  'type',
  'project_id',
  'description',
  'updated_date',
] as const
const filters = ['id', 'target_url', 'owner', 'type', 'project_id'] as const

/** One page of the webhooks a caller may see: own ones and those of own projects, an administrator all; two queries. */
export function listWebhooks(
  db: Kysely<WebhooksDb>,
  principal: Principal,
  query: Query,
): Promise<{ count: number; results: WebhookView[] }> {
  const matching = filtered(visible(webhookViews(db), principal), query)
  const count = async () => {
    const counted = matching.clearSelect().select((from) => from.fn.countAll<number>().as('count'))
    return (await counted.executeTakeFirstOrThrow()).count
  }
  return paged(query, count, (limit, offset) =>
    readSort(query.sort, names, '-id')
      .reduce(
        (sorted, { name, descending }) =>
          sorted.orderBy(columns[name], descending ? 'desc' : 'asc'),
        matching,
      )
      .limit(limit)
      .offset(offset)
      .execute(),
  )
}

type Views = ReturnType<typeof webhookViews>

function visible(views: Views, { role, user_id }: Principal): Views {
  if (role === 'admin') return views
  return views.where((is) =>
    is.or([is('webhook.owner_id', '=', user_id), is('project.owner_id', '=', user_id)]),
  )
}

function filtered(views: Views, query: Query): Views {
  return filters.reduce((narrowed, name) => {
    const wanted = query[name]
    return wanted === undefined ? narrowed : narrowed.where(columns[name], '=', wanted)
  }, views)
}
