import { unavailable } from '@reticle/kit'
import { silentLog } from '@reticle/kit/observe/log'
import { describe, expect, test } from 'vitest'
import { buildGateway } from '../app.ts'
import { readConfig } from '../config.ts'
import type { ProcessPhase } from '../ports.ts'
import { createTemporaryBlobs, startTestGateway } from '../testing/gateway.ts'
import { createTestServices } from '../testing/services.ts'

let isDatabaseThere = true
const { send } = await startTestGateway({
  checks: {
    async DatabaseBackend() {
      if (!isDatabaseThere) throw unavailable('The database does not answer.')
    },
    async ObjectStorage() {
      if (!isDatabaseThere) throw new Error('connect ECONNREFUSED 10.0.0.7:9000')
    },
  },
})

test('health lists all working parts', async () => {
  const answer = await send('/api/server/health?format=json', { as: null })
  expect(answer.status).toBe(200)
  expect(answer.json()).toEqual({ DatabaseBackend: 'working', ObjectStorage: 'working' })
})

test('a failing part makes health 503 without disclosing internal details', async () => {
  isDatabaseThere = false
  const answer = await send('/api/server/health/', { as: null })
  expect(answer.status).toBe(503)
  expect(answer.json()).toEqual({
    DatabaseBackend: 'The database does not answer.',
    ObjectStorage: 'not working',
  })
})

describe('health with details', () => {
  const path = '/api/server/health?details=true'

  test('tells administrators the reason of a failure and the duration of each check', async () => {
    const answer = await send(path, { as: 'boss' })
    expect(answer.status).toBe(503)
    const took_ms = expect.any(Number)
    expect(answer.json()).toEqual({
      DatabaseBackend: { status: 'failing', took_ms, reason: 'The database does not answer.' },
      ObjectStorage: { status: 'failing', took_ms, reason: 'connect ECONNREFUSED 10.0.0.7:9000' },
    })
    isDatabaseThere = true
    const well = await send(path, { as: 'boss' })
    expect(well.status).toBe(200)
    expect(well.json()).toMatchObject({
      DatabaseBackend: { status: 'working', took_ms, reason: null },
    })
  })

  test.each([
    ['anna', 403],
    [null, 401],
  ])('is refused to %s with %i', async (as, status) => {
    const answer = await send(path, { as })
    expect(answer.status).toBe(status)
    expect(answer.text).not.toContain('ObjectStorage')
  })

  test('is refused for an invalid boolean', async () => {
    const answer = await send('/api/server/health?details=maybe', { as: 'boss' })
    expect([answer.status, answer.json()]).toEqual([400, { details: [expect.any(String)] }])
  })
})

test('probes do not depend on other parts', async () => {
  for (const path of ['/healthz', '/readyz', '/startupz'])
    expect(await send(path, { as: null })).toMatchObject({ status: 200 })
})

test.each<[ProcessPhase['now'], number, number, number, number]>([
  ['starting', 200, 503, 503, 503],
  ['ready', 200, 200, 200, 200],
  ['leaving', 200, 503, 200, 503],
  ['stopping', 200, 503, 200, 503],
])('while %s the probes report it', async (now, alive, ready, started, health) => {
  const app = await buildGateway(
    {
      services: createTestServices({}),
      blobs: await createTemporaryBlobs(),
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
