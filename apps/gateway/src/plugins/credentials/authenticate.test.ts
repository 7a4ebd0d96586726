import { projectRecord } from '@reticle/contracts/testing/records'
import { unauthenticated } from '@reticle/kit'
import { beforeEach, expect, test, vi } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'
import { anna } from '../../testing/services.ts'

let lookups: string[] = []
beforeEach(() => {
  lookups = []
})

const { send } = await startTestGateway({
  services: {
    identity: {
      async authenticate({ authorization = '', address }) {
        lookups.push(`${authorization} from ${address}`)
        if (authorization.includes('wrong')) throw unauthenticated('Invalid token.')
        return { principal: anna, is_deprecated: authorization.includes('legacy') }
      },
      async deleteAccessToken() {
        return undefined
      },
      async createAccessToken() {
        throw new Error('never reached')
      },
    },
    projects: {
      async getProject() {
        return projectRecord()
      },
    },
    requests: {
      async exportTaskDataset() {
        return { rq_id: 'x' }
      },
    },
  },
})
const get = (authorization: string) =>
  send('/api/projects/7', { as: null, headers: { authorization } })

test('without a credential a request gets 401 and the supported schemes', async () => {
  const answer = await send('/api/projects/7', { as: null })
  expect(answer.status).toBe(401)
  expect(answer.headers).toMatchObject({
    'www-authenticate': 'Token',
    'x-error-code': 'not_authenticated',
  })
  expect(answer.json()).toMatchObject({ detail: 'Authentication credentials were not provided.' })
})

test('a public route needs no credential, but a wrong one is refused with 401', async () => {
  expect((await send('/api/server/about', { as: null })).status).toBe(200)
  const headers = { authorization: 'Token wrong-1' }
  expect((await send('/api/server/about', { as: null, headers })).status).toBe(401)
})

test('a credential is looked up once in five seconds', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  await get('Token a')
  await get('Token a')
  expect(lookups).toEqual(['Token a from 127.0.0.1'])
  vi.setSystemTime(Date.now() + 5001)
  await get('Token a')
  expect(lookups).toHaveLength(2)
  vi.useRealTimers()
})

test('concurrent requests with one credential share a lookup', async () => {
  await Promise.all([get('Token b'), get('Token b'), get('Token b')])
  expect(lookups).toHaveLength(1)
})

test('a wrong token is cached, while a wrong password is looked up every time', async () => {
  for (const scheme of [
    'Token wrong-2',
    'Token wrong-2',
    'Basic wrong',
    'basic wrong',
    'Basic wrong',
  ])
    expect((await get(scheme)).status).toBe(401)
  expect(lookups.map((one) => one.split(' ')[0])).toEqual(['Token', 'Basic', 'basic', 'Basic'])
})

test('a successful write to an account clears the cache, a failed one does not', async () => {
  await get('Token c')
  const failing = { method: 'DELETE', headers: { authorization: 'Token wrong' }, as: null } as const
  await send('/api/auth/access_tokens/1', failing)
  await get('Token c')
  expect(lookups.filter((one) => one.startsWith('Token c'))).toHaveLength(1)
  await send('/api/auth/access_tokens/1', { method: 'DELETE' })
  await get('Token c')
  expect(lookups.filter((one) => one.startsWith('Token c'))).toHaveLength(2)
})

test('a write to an account clears the cache for any spelling of its path', async () => {
  await get('Token d')
  await send('/api/%61uth/access_tokens/1', { method: 'DELETE' })
  await get('Token d')
  expect(lookups.filter((one) => one.startsWith('Token d'))).toHaveLength(2)
})

test('a revoked token is refused at once by the same gateway, and within five seconds by others', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  let isRevoked = false
  const services = {
    identity: {
      async authenticate() {
        if (isRevoked) throw unauthenticated('Invalid token.')
        return { principal: anna, is_deprecated: false }
      },
      async deleteAccessToken() {
        isRevoked = true
        return undefined
      },
    },
    projects: { getProject: async () => projectRecord() },
  }
  const [here, elsewhere] = [
    await startTestGateway({ services }),
    await startTestGateway({ services }),
  ]
  const used = { as: null, headers: { authorization: 'Token e' } }
  const statuses = async () => [
    (await here.send('/api/projects/7', used)).status,
    (await elsewhere.send('/api/projects/7', used)).status,
  ]
  expect(await statuses()).toEqual([200, 200])
  const revoked = await here.send('/api/auth/access_tokens/1', { ...used, method: 'DELETE' })
  expect(revoked.status).toBe(204)
  expect(await statuses()).toEqual([401, 200])
  vi.setSystemTime(Date.now() + 5001)
  expect(await statuses()).toEqual([401, 401])
  vi.useRealTimers()
})

test('the service receives the address and user agent of an authentication attempt', async () => {
  const contexts: unknown[] = []
  const { send: trying } = await startTestGateway({
    services: {
      identity: {
        async authenticate(_, { address, user_agent }) {
          contexts.push({ address, user_agent })
          throw unauthenticated()
        },
      },
    },
  })
  const headers = { authorization: 'Basic YTpi', 'user-agent': 'cli/1' }
  await trying('/api/projects/7', { as: null, headers })
  expect(contexts).toEqual([{ address: '127.0.0.1', user_agent: 'cli/1' }])
})

test('responses to a legacy token contain a deprecation header', async () => {
  expect((await get('Token legacy')).headers.deprecation).toBe('true')
  expect((await get('Token new')).headers.deprecation).toBeUndefined()
})
