import { requests as table } from '@reticle/contracts/api/requests'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { beforeEach, describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { addRequest } from '../testing/rows.ts'
import { authorityOf, noOthers } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { claimRequest } from '../worker/leases/repo-claims.ts'

/** Cancelling in the CVAT-compatible dialect, where only exports can be stopped: docs/spec/requests.md#cancelling */

const db = await testDb<RequestsDb>(migrations, 'requests')
const annotations = { getRevision: async () => ({ etag: '"x"' }) }
const services = { tasks: authorityOf([]), annotations, ...noOthers }
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const anna = () => callAs({ user_id: 1 })

beforeEach(async () => {
  await db.deleteFrom('requests').execute()
})

async function add(action: 'export' | 'import' | 'create', isStarted: boolean) {
  const { rq_id } = await addRequest(db, { action, rq_id: `action=${action}&x` })
  if (isStarted) await claimRequest(db, { worker: 'w', tenantConcurrency: 4 })
  return { rq_id, only_exports: true }
}

const statusOf = async (rq_id: string) =>
  db.selectFrom('requests').select('status').where('rq_id', '=', rq_id).executeTakeFirst()

describe.each(transports)('%s', (transport) => {
  const calls = overTransport(transport, table, handlers)

  test.each(['import', 'create'] as const)('a started %s is not cancelled', async (action) => {
    const asked = await add(action, true)
    await expect(calls.cancelRequest(asked, anna())).rejects.toMatchObject({
      kind: 'invalid',
      body: ['Cancellation of started requests is supported only for export requests'],
    })
    expect(await statusOf(asked.rq_id)).toEqual({ status: 'started' })
  })

  test.each([
    ['import', false],
    ['create', false],
    ['export', false],
    ['export', true],
  ] as const)(
    'a queued request, and any export, can be cancelled: %s, started %s',
    async (action, isStarted) => {
      const asked = await add(action, isStarted)
      await calls.cancelRequest(asked, anna())
      expect(await statusOf(asked.rq_id)).toEqual({ status: 'failed' })
    },
  )

  test('a started import is cancelled without `only_exports`', async () => {
    const { rq_id } = await add('import', true)
    await calls.cancelRequest({ rq_id }, anna())
    expect(await statusOf(rq_id)).toEqual({ status: 'failed' })
  })
})
