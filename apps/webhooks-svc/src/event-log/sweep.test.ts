import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { WebhooksDb } from '../db/schema.ts'
import { deleteOldEvents } from './sweep.ts'

const db = await testDb<WebhooksDb>(migrations, 'webhooks')

test('any number of events older than the retention time is deleted', async () => {
  await sql`
    insert into events (event_id, ordinal, scope, source, "timestamp", duration)
    select gen_random_uuid(), 0, 'debug:info', 'client', "timestamp", 0
    from (values ('2025-03-01T09:59:59.999Z'::timestamptz)) old("timestamp"), generate_series(1, 10001)
    union all
    select gen_random_uuid(), 0, 'debug:info', 'client', '2025-03-01T10:00:00.000Z', 0`.execute(db)
  await deleteOldEvents(db, new Date('2026-03-01T10:00:00.000Z'), 365)
  expect(await db.selectFrom('events').select('timestamp').execute()).toEqual([
    { timestamp: new Date('2025-03-01T10:00:00.000Z') },
  ])
})
