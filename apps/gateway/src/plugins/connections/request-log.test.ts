import { type Logger, silentLog } from '@reticle/kit/observe/log'
import { expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'

const lines: unknown[] = []
const log: Logger = silentLog.child({}, { level: 'silent' })
log.info = (line: unknown) => {
  lines.push(line)
}

const { send } = await startTestGateway({ log })

test('health checks are not logged', async () => {
  await send('/api/server/health', { as: null })
  await send('/healthz', { as: null })
  await send('/api/nothing')
  expect(lines).toEqual([])
})

test('a call is logged in one line without any of its content', async () => {
  const headers = { 'x-request-id': 'request-12' }
  await send('/api/projects/7?name=secret', { headers })
  await send('/api/server/about', { as: null, headers })

  await expect.poll(() => lines).toHaveLength(2)
  const ms = expect.any(Number)
  const request_id = 'request-12'
  expect(lines).toEqual([
    { request_id, user_id: 3, operation: 'getProject', status: 404, ms },
    { request_id, user_id: null, operation: 'getAbout', status: 200, ms },
  ])
})

test('a log line contains the trace id that the client sent', async () => {
  lines.length = 0
  const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  await send('/api/server/about', { as: null, headers: { traceparent } })
  await expect.poll(() => lines).toMatchObject([{ trace_id: 'a'.repeat(32) }])
})
