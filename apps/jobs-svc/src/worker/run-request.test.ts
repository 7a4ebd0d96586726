import { silentLog } from '@reticle/kit/observe/log'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { testDb } from '@reticle/kit/testing/db'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { addRequest, blobState, readRequest } from '../testing/rows.ts'
import { testStore } from '../testing/run.ts'
import { resultKey } from '../work/result-key.ts'
import type { Converters } from './converters.ts'
import { claimRequest } from './leases/repo-claims.ts'
import { runRequest } from './run-request.ts'
import { type RunningRequests, watchRunningRequests } from './running-requests.ts'
import { defaultTiming } from './timing.ts'

const db = await testDb<RequestsDb>(migrations, 'requests')
const { root, blobs } = await testStore()
let running: RunningRequests
beforeEach(async () => {
  await sql`truncate requests, tenant_turns, blobs, uploads, outbox cascade`.execute(db)
  running = watchRunningRequests({ db, log: silentLog }, defaultTiming)
})
afterEach(() => running.close())

describe('an upload that the storage already holds', () => {
  const spare = 'requests/uploads/twice/0'

  /** Runs a request whose conversion reports the duplicate; `meanwhile` runs before its end. */
  async function run(meanwhile: () => Promise<unknown> = async () => undefined) {
    await blobs.put(spare, bytesOf('stored twice'))
    await addRequest(db)
    const row = await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
    if (!row) throw new Error('no request was claimed')
    const converters: Pick<Converters, 'run'> = {
      async run() {
        const key = resultKey(row)
        const { size } = await blobs.put(key, bytesOf('result'))
        await meanwhile()
        const outcome = { report: null, result: { key, size }, result_id: null, spare: [spare] }
        return { type: 'done', outcome }
      },
    }
    const settings = { resultTtlHours: 24, leaseSeconds: 60, retrySeconds: [], tmpDir: root }
    const deps = { db, blobs, log: silentLog, running, converters, ...settings }
    await runRequest(deps, row)
    return readRequest(db, row)
  }

  const isStored = () =>
    blobs.stat(spare).then(
      () => true,
      () => false,
    )

  test('is deleted at the end of the request, without the sweeper', async () => {
    expect(await run()).toMatchObject({ status: 'finished' })
    expect([await isStored(), await blobState(db, spare)]).toEqual([false, undefined])
  })

  test('is kept when the attempt lost its lease, because another attempt may read it', async () => {
    await run(() => sql`update requests set lease_token = nextval('lease_tokens')`.execute(db))
    expect(await isStored()).toBe(true)
  })
})
