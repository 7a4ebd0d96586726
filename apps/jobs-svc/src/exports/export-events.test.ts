import { randomUUID } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { EventFilter } from '@reticle/contracts/rest/events'
import { unavailable } from '@reticle/kit'
import { callAs } from '@reticle/kit/testing/call'
import { expect, test } from 'vitest'
import { runOf, testStore } from '../testing/run.ts'
import { bytesAnswer, servicesOf } from '../testing/services.ts'
import type { ExportEventsWork } from '../work/request-work.ts'
import { runOperation } from '../worker/run-operation.ts'

const store = await testStore()
const filter: EventFilter = {
  org_id: null,
  project_id: 7,
  task_id: null,
  job_id: null,
  user_id: 3,
  from: null,
  to: '2026-03-01T10:00:00.000Z',
}
const anna = callAs({ user_id: 3 }).principal ?? expect.fail()
const workOf = (): ExportEventsWork => ({
  action: 'export',
  target: 'events',
  lease_token: 1,
  traceparent: null,
  request_uuid: randomUUID(),
  rq_id: 'a request',
  result_key: null,
  result_size: null,
  report: null,
  created_date: new Date('2026-03-01T10:00:00.000Z'),
  principal: anna,
  params: { filter, filename: 'logs.csv', cloud_storage_id: null },
})

test('the rows of the event log become the file unchanged, read with the permissions of the user', async () => {
  const asked: unknown[] = []
  const services = servicesOf({
    events: {
      readEvents: async (given, { principal }) => {
        asked.push(given, principal)
        return bytesAnswer(['scope\n', 'debug:', 'info\n'])
      },
    },
  })
  const { result, report } = await runOperation(workOf(), await runOf(store, services))
  expect(asked).toEqual([filter, anna])
  const { chunks } = await store.blobs.get(result?.key ?? '')
  expect([await text(chunks), result?.size, report]).toEqual(['scope\ndebug:info\n', 17, null])
})

test('an event log whose reading fails leaves no file', async () => {
  async function* broken() {
    yield Buffer.from('scope\n')
    throw unavailable('The log is away.')
  }
  const events = { readEvents: async () => ({ head: {}, chunks: broken() }) }
  const run = await runOf(store, servicesOf({ events }))
  await expect(runOperation(workOf(), run)).rejects.toThrow('The log is away.')
})
