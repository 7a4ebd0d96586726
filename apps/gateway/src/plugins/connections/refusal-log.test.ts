import { type Logger, silentLog } from '@reticle/kit/observe/log'
import { expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'

function collecting() {
  const lines: { level: string; line: unknown; text: unknown }[] = []
  const log: Logger = silentLog.child({}, { level: 'silent' })
  const at = (level: string) => (line: unknown, text?: unknown) => {
    lines.push({ level, line, text })
  }
  log.info = at('info')
  log.warn = at('warn')
  return { log, lines }
}

test('refused calls of a network are logged in one line', async () => {
  const { log, lines } = collecting()
  const settings = { rateAnonymous: 3, trustedHops: 1 }
  const { send, stop } = await startTestGateway({ log, settings })
  const wrong = (address: string, authorization: string) =>
    send('/api/projects/7', { as: null, headers: { 'x-forwarded-for': address, authorization } })
  for (let made = 0; made < 5; made++) await wrong(`2001:db8::${made}`, `Token wrong-${made}`)
  await wrong('198.51.100.1', 'Basic YTpi')
  await send('/api/server/about', { headers: { 'x-forwarded-for': '198.51.100.1' } })
  await stop()

  expect(lines.filter(({ level }) => level === 'warn')).toEqual([
    {
      level: 'warn',
      line: { address: '2001:db8:0:0::/64', unauthenticated: 3, throttled: 2 },
      text: 'credentials refused',
    },
    {
      level: 'warn',
      line: { address: '198.51.100.1', unauthenticated: 1, throttled: 0 },
      text: 'credentials refused',
    },
  ])
  const requests = lines.filter(({ level }) => level === 'info')
  expect(requests).toMatchObject([{ line: { operation: 'getAbout', status: 200 } }])
})

test('a throttled call of a signed-in user is logged as a single line', async () => {
  const { log, lines } = collecting()
  const { send, stop } = await startTestGateway({ log, settings: { rateUser: 1 } })
  await send('/api/server/about')
  await send('/api/server/about')
  await stop()
  expect(lines).toMatchObject([
    { level: 'info', line: { status: 200 } },
    { level: 'info', line: { status: 429 } },
  ])
})
