import { requests } from '@reticle/contracts/api/requests'
import { factsOf } from '@reticle/contracts/testing/records'
import { callAs } from '@reticle/kit/testing/call'
import { testDb } from '@reticle/kit/testing/db'
import { overTransport, transports } from '@reticle/kit/testing/transport'
import { describe, expect, test } from 'vitest'
import { migrations } from '../db/migrations/index.ts'
import type { RequestsDb } from '../db/schema.ts'
import { requestHandlers } from '../server.ts'
import { addRequest } from '../testing/rows.ts'
import { authorityOf, noOthers } from '../testing/services.ts'
import { settingsOf } from '../testing/settings.ts'
import { rqIdOf } from './rq-id.ts'

/** The deprecated `GET /tasks/{id}/status`, kept for clients that do not know `/requests`. */

const db = await testDb<RequestsDb>(migrations, 'requests')
const ids = [1, 2, 3, 4, 5]
const grants = ids.map((id) => ({
  target: 'task' as const,
  id,
  user_id: 1,
  facts: factsOf({ task_id: id }),
}))
const annotations = { getRevision: async () => ({ etag: '"t1-1"' }) }
const services = { tasks: authorityOf(grants), annotations, ...noOthers }
const handlers = requestHandlers({ db, services, settings: settingsOf() })
const anna = callAs({ user_id: 1 })

const creation = (id: number, given: Parameters<typeof addRequest>[1]) => {
  const target = { action: 'create', target: 'task', target_id: id } as const
  const kind = { subresource: null, format: null, task_id: id }
  return addRequest(db, { rq_id: rqIdOf(target), ...target, ...kind, ...given })
}
await creation(1, { status: 'queued' })
await creation(2, { status: 'started', stage: 'Reading images', progress: 0.5 })
await creation(3, { status: 'finished', progress: 0.9 })
await creation(4, { status: 'failed', message: 'No media data found', progress: 0.2 })

describe.each(transports)('over %s', (transport) => {
  const { getTaskStatus } = overTransport(transport, requests, handlers)

  test.each([
    ['waits', 1, { state: 'Queued', message: '', progress: 0 }],
    ['is made', 2, { state: 'Started', message: 'Reading images', progress: 0.5 }],
    ['is there', 3, { state: 'Finished', message: '', progress: 1 }],
    ['could not be made', 4, { state: 'Failed', message: 'No media data found', progress: 0.2 }],
    ['was never asked for', 5, { state: 'Finished', message: '', progress: 0 }],
  ])('media that %s', async (_, id, expected) => {
    expect(await getTaskStatus({ id }, anna)).toEqual(expected)
  })

  test('requires view permission for the task', async () => {
    const stranger = getTaskStatus({ id: 1 }, callAs({ user_id: 7 }))
    await expect(stranger).rejects.toMatchObject({ kind: 'forbidden' })
    await expect(getTaskStatus({ id: 9 }, anna)).rejects.toMatchObject({ kind: 'not_found' })
  })
})
