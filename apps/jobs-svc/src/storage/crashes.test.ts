import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { silentLog } from '@reticle/kit/observe/log'
import { testClock } from '@reticle/kit/testing/clock'
import { testDatabase } from '@reticle/kit/testing/db'
import { expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { sweepStorage } from '../sweeper.ts'
import { crashMidUpload } from '../testing/crash.ts'
import { testStore } from '../testing/run.ts'

const { db, url } = await testDatabase<RequestsDb>([{ schema: 'requests', migrations }])
const { root, blobs } = await testStore()

test('one sweep a day after a crash removes all unfinished objects', async () => {
  const folder = join(root, 'blobs')
  await crashMidUpload({ url, store: { root: folder }, count: 3 })
  const drafts = () => readdir(join(folder, '.drafts'))
  const objects = async () => {
    const keys: string[] = []
    for await (const { key } of blobs.list('requests/')) keys.push(key)
    return keys
  }
  expect([(await objects()).length, (await drafts()).length]).toEqual([9, 6])

  const clock = testClock(new Date(Date.now() + 25 * 3_600_000))
  await sweepStorage({ db, blobs, clock, log: silentLog, uploadTtlHours: 12, chunkTtlHours: 168 })

  expect([await objects(), await drafts()]).toEqual([[], []])
  expect(await db.selectFrom('blobs').selectAll().execute()).toEqual([])
})
