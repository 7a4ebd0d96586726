import { restOperations } from '@reticle/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import { bodies } from '../support/accepted.ts'
import { createApiClient } from '../support/client.ts'
import { type ServerUnderTest, shareReticle } from '../support/reticle.ts'

/** Every route of the operation table, called without a credential, with a wrong one and with a read-only token. */
let reticle: ServerUnderTest
let token: string
beforeAll(async () => {
  reticle = await shareReticle()
  const json = { name: 'reader', read_only: true }
  token = (await reticle.admin.done('POST', '/auth/access_tokens', { json })).value
})

const noAsset = '00000000-0000-4000-8000-000000000000'
const filled = (given: string) =>
  given.replace(':key', 'k'.repeat(64)).replace(':uuid', noAsset).replace(/:\w+/g, '1')
const routes = restOperations.map((one) => [`${one.method} ${one.path}`, one] as const)
const closed = routes.filter(([, one]) => one.access !== 'anyone')

describe.each(closed)('%s', (_, { method, path: route }) => {
  test('the route needs a credential', async () => {
    const answer = await createApiClient(`${reticle.url}/api`).call(String(method), filled(route))
    expect([answer.status, answer.body.code]).toEqual([401, 'not_authenticated'])
    expect(answer.headers.get('www-authenticate')).toMatch(/^Token/)
  })
})

test.each(routes)('%s refuses a wrong credential', async (_, { method, path: route }) => {
  const api = createApiClient(
    `${reticle.url}/api`,
    'Token aaaaaaaa.bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
  )
  expect((await api.call(String(method), filled(route))).status).toBe(401)
})

const writes = closed.filter(([, one]) => one.method !== 'GET' && one.by_token !== 'always')
test.each(writes)('%s refuses a read-only token', async (_, { name, method, path: route }) => {
  const api = createApiClient(`${reticle.url}/api`, `Bearer ${token}`)
  const answer = await api.call(String(method), filled(route), { json: bodies[name] })
  expect(answer.status).toBe(403)
})

test.each([...new Set(restOperations.map((one) => one.path))])(
  '%s answers other methods with 405 and Allow',
  async (route) => {
    const known = restOperations
      .filter((one) => one.path.replace(/\/$/, '') === route.replace(/\/$/, ''))
      .map((one) => one.method)
    const other = ['PUT', 'DELETE', 'PATCH', 'POST', 'GET'].find(
      (method) => !known.some((one) => one === method),
    )
    const url = filled(route)
    const refused = other ? await reticle.admin.call(other, url) : undefined
    const options = await reticle.admin.call('OPTIONS', url)
    expect([refused?.status ?? 405, options.status]).toEqual([405, 204])
    for (const method of known) expect(options.headers.get('allow')).toContain(method)
  },
)
