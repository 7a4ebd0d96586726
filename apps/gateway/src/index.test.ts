import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRecord } from '@reticle/contracts/testing/records'
import { silentLog } from '@reticle/kit/observe/log'
import { request } from 'undici'
import { expect, test } from 'vitest'
import { readConfig, startGateway } from './index.ts'
import { createTemporaryBlobs, startTestGateway } from './testing/gateway.ts'
import { createTestServices } from './testing/services.ts'

test('a running request completes before the gateway stops, and a new one is refused', async () => {
  let begun = false
  const services = createTestServices({
    projects: {
      async getProject() {
        begun = true
        await sleep(300)
        return projectRecord()
      },
    },
  })
  const blobs = await createTemporaryBlobs()
  const settings = readConfig({ RETICLE_PORT: '0' })
  const gateway = await startGateway({ services, blobs, settings, log: silentLog, checks: {} })
  const headers = { authorization: 'Token anna' }
  const running = request(`${gateway.url}/api/projects/7`, { headers })
  await expect.poll(() => begun).toBe(true)

  const stopped = gateway.stop()
  const { statusCode, body } = await running
  expect(statusCode).toBe(200)
  await body.dump()
  await stopped
  await expect(request(`${gateway.url}/healthz`)).rejects.toThrow()
})

test('a gateway that is leaving responds and closes each connection', async () => {
  const blobs = await createTemporaryBlobs()
  const settings = readConfig({ RETICLE_PORT: '0' })
  const services = createTestServices({})
  const gateway = await startGateway({ services, blobs, settings, log: silentLog, checks: {} })
  const about = async () => {
    const { statusCode, headers, body } = await request(`${gateway.url}/api/server/about`)
    await body.dump()
    return [statusCode, headers.connection]
  }
  expect(await about()).toEqual([200, 'keep-alive'])
  gateway.leave()
  expect(await about()).toEqual([200, 'close'])
  await gateway.stop()
})

test('an idle connection does not delay the stop of the gateway', async () => {
  const { stop, port } = await startTestGateway()
  const unused = connect(port, '127.0.0.1')
  await once(unused, 'connect')
  const closed = once(unused.resume(), 'close')
  const first = await Promise.race([stop().then(() => 'stopped'), sleep(5000, 'still waits')])
  expect(first).toBe('stopped')
  await closed
})

const forwarded = { 'x-forwarded-host': 'labels.example.org', 'x-forwarded-proto': 'https' }

test.each([
  [0, /^http:\/\/127\.0\.0\.1:\d+\/static/],
  [1, /^https:\/\/labels\.example\.org\/static/],
])('with %i trusted hops links begin with %s', async (trustedHops, start) => {
  const { send } = await startTestGateway({ settings: { trustedHops } })
  const { json } = await send('/api/server/about', { headers: forwarded })
  expect(Reflect.get(Object(json()), 'logo_url')).toMatch(start)
})

test.each([
  ['a port in use', {}, /^Port \d+ of 127\.0\.0\.1 is in use: .* RETICLE_PORT/],
  ['a foreign address', { host: '192.0.2.1' }, /^192\.0\.2\.1 is no address of .* RETICLE_HOST/],
])('the error for %s names the setting to change', async (_, settings, sentence) => {
  const { port } = await startTestGateway()
  await expect(startTestGateway({ settings: { port, ...settings } })).rejects.toThrow(sentence)
})
