import { watchBlobs } from '@reticle/kit/observe/database'
import { metricsText, resetMetrics } from '@reticle/kit/observe/metrics'
import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { addRequest } from '../testing/rows.ts'
import { noteClaim, timeRun, watchRequests } from './metrics.ts'

resetMetrics()
const db = await testDb<RequestsDb>(migrations, 'requests')
const forget = [watchRequests(db), watchBlobs(db, 'requests')]
afterAll(() => {
  for (const each of forget) each()
})

test('requests are counted by state and action, objects by state', async () => {
  await addRequest(db)
  await addRequest(db)
  await addRequest(db, { action: 'import' })
  await addRequest(db, { status: 'started' })
  await addRequest(db, { status: 'failed' })
  await sql`
    insert into blobs (key, kind, state, size, created_date) values
      ('a', 'result', 'live', 5, now()), ('b', 'result', 'live', 6, now()),
      ('c', 'upload', 'pending', null, now() - interval '3 days')`.execute(db)

  const text = await metricsText()
  const value = (series: string) => Number(text.split(`\n${series} `)[1]?.split('\n')[0])
  expect(text.match(/^reticle_(requests|blob_bytes)\{.+$/gm)?.sort()).toEqual([
    'reticle_blob_bytes{schema="requests",state="live"} 11',
    'reticle_blob_bytes{schema="requests",state="pending"} 0',
    'reticle_requests{status="failed",action="export"} 1',
    'reticle_requests{status="queued",action="export"} 2',
    'reticle_requests{status="queued",action="import"} 1',
    'reticle_requests{status="started",action="export"} 1',
  ])
  const threeDays = 3 * 86_400
  expect(value('reticle_blob_pending_oldest_seconds{schema="requests"}')).toBeGreaterThan(threeDays)
  expect(value('reticle_request_oldest_queued_seconds')).toBeGreaterThan(0)
})

test('the first attempt measures the waiting time, every attempt its run time', async () => {
  const times = { created_date: new Date(1000), started_date: new Date(8000) }
  const row = await addRequest(db)
  noteClaim({ ...row, ...times, attempt: 1 })
  noteClaim({ ...row, ...times, attempt: 2 })
  timeRun(row)()

  const text = await metricsText()
  expect(text).toContain('reticle_request_wait_seconds_sum 7\n')
  expect(text).toContain('reticle_request_wait_seconds_count 1\n')
  expect(text).toContain('reticle_request_run_seconds_count{format="COCO 1.0"} 1\n')
})
