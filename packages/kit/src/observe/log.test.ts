import { Writable } from 'node:stream'
import { afterAll, expect, test } from 'vitest'
import { createLog } from './log.ts'
import { rememberTraces } from './trace-sdk.ts'
import { inSpan, traceFields } from './traces.ts'

const lines: Record<string, unknown>[] = []
const to = new Writable({
  write: (text, _encoding, done) => {
    lines.push(JSON.parse(String(text)))
    done()
  },
})
const log = createLog('a-svc', { level: 'info', format: 'json' }, to)
const tracing = rememberTraces('test')
afterAll(tracing.stop)

test('a line names its service and its span', async () => {
  await inSpan('a', { service: 'a-svc' }, async () => {
    log.info({ request_id: 'r' }, 'inside')
    expect(lines.at(-1)).toMatchObject({ service: 'a-svc', request_id: 'r', ...traceFields() })
  })
  log.info('outside')
  expect(lines.at(-1)).not.toHaveProperty('trace_id')
})

test.each(['authorization', 'cookie', 'secret', 'password', 'token', 'signature', 'credential'])(
  'the value of a field named %s is not logged',
  (name) => {
    log.info({ [name]: 'hunter2', headers: { [name]: 'hunter2' } }, 'a line')
    expect(JSON.stringify(lines.at(-1))).not.toContain('hunter2')
  },
)

test('an error is logged with its stack, except an unreachable server', () => {
  log.error({ err: new Error('a mistake of ours') }, 'failed')
  expect(lines.at(-1)).toMatchObject({
    err: { message: 'a mistake of ours', stack: expect.stringMatching(/at /) },
  })
  log.error({ err: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) }, 'failed')
  expect(lines.at(-1)?.err).toEqual({ type: 'Error', message: 'refused', code: 'ECONNREFUSED' })
  log.error({ err: 'a text' }, 'failed')
  expect(lines.at(-1)).toMatchObject({ err: 'a text' })
})
