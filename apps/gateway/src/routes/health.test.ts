import { unavailable } from '@reticle/kit'
import { silentLog } from '@reticle/kit/log'
import { expect, test } from 'vitest'
import { buildGateway } from '../app.ts'
import { readConfig } from '../config.ts'
import type { Phase } from '../ports.ts'
import { temporaryBlobs, testGateway } from '../testing/gateway.ts'
import { someServices } from '../testing/services.ts'

let isDatabaseThere = true
const { send } = await testGateway({
  checks: {
    async DatabaseBackend() {
      if (!isDatabaseThere) throw unavailable('The database does not answer.')
    },
    async ObjectStorage() {
      if (!isDatabaseThere) throw new Error('connect ECONNREFUSED 10.0.0.7:9000')
    },
  },
})

test('health names every part that works', async () => {
  const answer = await send('/api/server/health?format=json', { as: null })
  expect(answer.status).toBe(200)
  expect(answer.json()).toEqual({ DatabaseBackend: 'working', ObjectStorage: 'working' })
})

test('a part that does not work makes it 503, and nothing internal is shown', async () => {
  isDatabaseThere = false
  const answer = await send('/api/server/health/', { as: null })
  expect(answer.status).toBe(503)
  expect(answer.json()).toEqual({
    DatabaseBackend: 'The database does not answer.',
    ObjectStorage: 'not working',
  })
})

test('probes depend on no other part', async () => {
  for (const path of ['/healthz', '/readyz', '/startupz'])
    expect(await send(path, { as: null })).toMatchObject({ status: 200 })
})

test.each<[Phase['now'], number, number, number, number]>([
  ['starting', 200, 503, 503, 503],
  ['ready', 200, 200, 200, 200],
  ['leaving', 200, 503, 200, 503],
  ['stopping', 200, 503, 200, 503],
])('while %s the probes tell', async (now, alive, ready, started, health) => {
  const app = await buildGateway(
    {
      services: someServices({}),
      blobs: await temporaryBlobs(),
      log: silentLog,
      settings: readConfig({}),
      checks: {},
    },
    { now },
  )
  const status = async (url: string) => (await app.inject(url)).statusCode
  expect(await status('/healthz')).toBe(alive)
  expect(await status('/readyz')).toBe(ready)
  expect(await status('/startupz')).toBe(started)
  expect(await status('/api/server/health')).toBe(health)
  expect(await status('/api/server/about')).toBe(now === 'stopping' ? 503 : 200)
  await app.close()
})
