import { silentLog } from '@reticle/kit/observe/log'
import { testBucket } from '@reticle/kit/testing/bucket'
import { testClock } from '@reticle/kit/testing/clock'
import { isFullRun } from '@reticle/kit/testing/config'
import { testDatabase } from '@reticle/kit/testing/db'
import { recordScore } from '@reticle/kit/testing/scores'
import { expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { sweepStorage } from '../sweeper.ts'
import { crashMidUpload } from '../testing/crash.ts'

const { db, url } = await testDatabase<RequestsDb>([{ schema: 'requests', migrations }])
const { options: store, blobs, unfinished } = await testBucket()

/** Number of processes that crash, each while writing nine objects. */
const crashes = isFullRun() ? 100 : 3

test('T-GC-1: one sweep a day after crashes during uploads leaves no orphaned objects', {
  timeout: crashes * 20_000,
}, async () => {
  for (let n = 0; n < crashes; n++) await crashMidUpload({ url, store, count: 3 })
  const objects = async () => {
    const keys: string[] = []
    for await (const { key } of blobs.list('requests/')) keys.push(key)
    return keys
  }
  expect([(await objects()).length, (await unfinished()).length]).toEqual([
    9 * crashes,
    6 * crashes,
  ])

  const clock = testClock(new Date(Date.now() + 25 * 3_600_000))
  await sweepStorage({ db, blobs, clock, log: silentLog, uploadTtlHours: 12, chunkTtlHours: 168 })

  const left = [await objects(), await unfinished()]
  const count = `${crashes} crashes, ${9 * crashes} objects`
  const orphans = left.flat().length
  recordScore({ id: 'T-GC-1', on: 'S3', count, seen: String(orphans), holds: orphans === 0 })
  expect(left).toEqual([[], []])
  expect(await db.selectFrom('blobs').selectAll().execute()).toEqual([])
})
