import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { addWebhook } from '../testing/world.ts'
import { claim } from './claim.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')

test('a long queue about one object costs one pass, and others get past it', async () => {
  const id = await addWebhook(db)
  const length = 20_000
  await sql`
    insert into webhook_messages (webhook_id, event_id, event, key, sequence, delivery_id, body,
      changed_fields, created_date, next_attempt_date)
    select ${id}, gen_random_uuid(), 'update:task',
      case when n = ${length}::integer then 'task:2' else 'task:1' end, n, gen_random_uuid(), 'x',
      '', now(), now()
    from generate_series(1, ${length}::integer) n`.execute(db)
  const options = { now: new Date(Date.now() + 1000), free: 200, after: 0 }
  const first = await claim(db, options)
  expect(first.map(({ sequence }) => sequence).sort((a, b) => a - b)).toEqual([1, length])

  const started = performance.now()
  expect(await claim(db, options)).toEqual([])
  expect(performance.now() - started).toBeLessThan(400) // it was about 800 with a look back a message
})
