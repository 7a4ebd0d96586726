import { projectRecord } from '@reticle/contracts/testing/records'
import { DomainError, unauthenticated, unavailable } from '@reticle/kit'
import type { Logger } from '@reticle/kit/observe/log'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  startTestGateway,
  type TestGatewayOptions,
  type TestRequest,
  type TestResponse,
} from '../../testing/gateway.ts'
import { anna } from '../../testing/services.ts'

/**
 * Requests without a credential and failed credentials are counted by client address (docs/spec/rest.md#rate-limits).
 */

let lookups: string[] = []
beforeEach(() => {
  lookups = []
})

/** Accepts credentials that contain `good` or were issued. */
const identity: NonNullable<NonNullable<TestGatewayOptions['services']>['identity']> = {
  async authenticate({ authorization, session }) {
    const given = authorization ?? session ?? ''
    lookups.push(given)
    const text = given.startsWith('Basic')
      ? Buffer.from(given.slice(6), 'base64').toString()
      : given
    if (text.includes('busy')) throw unavailable('The database is away.')
    if (text.includes('locked'))
      throw new DomainError('too_many', 'Throttled.', { retry_after: 500, limit: 10 })
    if (!/good|issued/.test(text)) throw unauthenticated('Invalid token.')
    return { principal: { ...anna, session_id: session ? 1 : undefined }, is_deprecated: false }
  },
  async signIn({ body: { username, password } }) {
    if (username === 'locked')
      throw new DomainError('too_many', 'Throttled.', { retry_after: 500, limit: 10 })
    if (password !== 'good') throw unauthenticated('Unable to log in.')
    return { key: 'issued-key', session: 'issued-session' }
  },
  async register({ body }) {
    const { username } = body
    const names = { username, email: '', first_name: '', last_name: '' }
    return { ...names, email_verification_required: false, key: 'issued-registered' }
  },
}
const services = { identity, projects: { getProject: async () => projectRecord() } }

/** Creates a gateway behind one proxy, so that a test sets the client address with `from`. */
async function gatewayOf(settings: TestGatewayOptions['settings'] = {}, log?: Logger) {
  const limits = { rateAnonymous: 3, rateAuth: 2, rateUser: 0, trustedHops: 1, ...settings }
  const { send, raw } = await startTestGateway({ services, settings: limits, log })
  const call = (
    headers: Record<string, string>,
    path = '/api/projects/7',
    sent: TestRequest = {},
  ) => send(path, { as: null, ...sent, headers: { 'x-forwarded-for': '203.0.113.7', ...headers } })
  return { call, raw }
}

const basic = (username: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
})
const token = (value: string, scheme = 'Token') => ({ authorization: `${scheme} ${value}` })
const cookie = (value: string) => ({ cookie: `sessionid=${value}` })
const from = (address: string) => ({ 'x-forwarded-for': address })

/** Makes requests one after another. */
async function statusesOf(count: number, call: (index: number) => Promise<TestResponse>) {
  const answers: TestResponse[] = []
  for (let made = 0; made < count; made++) answers.push(await call(made))
  return { answers, statuses: answers.map(({ status }) => status) }
}

describe('every kind of failed credential', () => {
  test.each<[string, (index: number) => Record<string, string>]>([
    ['a token', (index) => token(`wrong-${index}`)],
    ['a bearer token', (index) => token(`wrong-${index}`, 'Bearer')],
    ['a token in another spelling', (index) => token(`wrong-${index}`, ' tOKEN  ')],
    ['one token again and again', () => token('wrong')],
    ['a password', (index) => basic(`name-${index}`, 'x')],
    ['one password again and again', () => basic('name', 'x')],
    ['what is no base64', (index) => ({ authorization: `Basic %%%${index}` })],
    ['a scheme without a value', () => ({ authorization: 'Basic' })],
    ['an unknown scheme', (index) => ({ authorization: `Digest ${index}` })],
    ['a session', (index) => cookie(`wrong-${index}`)],
    ['one session again and again', () => cookie('wrong')],
    ['a mixture', (index) => [token('wrong'), basic('a', 'b'), cookie('wrong'), {}][index] ?? {}],
    ['none', () => ({})],
  ])('%s is limited, and every response has the headers', async (_kind, headersOf) => {
    const { call } = await gatewayOf()
    const { answers, statuses } = await statusesOf(4, (index) => call(headersOf(index)))
    expect(statuses).toEqual([401, 401, 401, 429])
    const remaining = answers.map(({ headers }) => headers['x-ratelimit-remaining'])
    expect(remaining).toEqual(['2', '1', '0', '0'])
    for (const { headers } of answers) {
      expect(headers['x-ratelimit-limit']).toBe('3')
      expect(Number(headers['x-ratelimit-reset'])).toBeGreaterThan(Date.now() / 1000)
    }
    const [last] = answers.slice(-1)
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
    expect(last?.json()).toMatchObject({ code: 'throttled' })
    expect(lookups.length).toBeLessThanOrEqual(3)
  })

  test.each<[string, string, TestRequest]>([
    ['HEAD', '/api/projects/7', { method: 'HEAD' }],
    ['the mount of a dialect', '/as/cvat/api/projects/7', {}],
    ['a piece of an upload', '/api/tasks/1/data/x', { method: 'PATCH' }],
    ['the state of an upload', '/api/tasks/1/data/x', { method: 'HEAD' }],
    ['a download', '/api/projects/1/dataset/download?rq_id=x', {}],
    ['a stream of events', '/api/requests/events', {}],
    ['a row for anyone', '/api/server/about', {}],
    ['health', '/api/server/health', {}],
    ['signing out', '/api/auth/logout', { method: 'POST' }],
    ['signing in with a wrong token', '/api/auth/login', { method: 'POST', body: {} }],
  ])('is limited on %s', async (_route, path, sent) => {
    const { call } = await gatewayOf()
    const wrong = (index: number) => call(token(`wrong-${index}`), path, sent)
    expect((await statusesOf(4, wrong)).statuses).toEqual([401, 401, 401, 429])
    expect(lookups).toHaveLength(3)
  })

  test('concurrent guesses are not looked up beyond the limit', async () => {
    const { call } = await gatewayOf()
    const guesses = Array.from({ length: 30 }, (_, index) => call(basic(`name-${index}`, 'x')))
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(3)
    expect(statuses.filter((status) => status === 429)).toHaveLength(27)
    expect(lookups).toHaveLength(3)
  })

  test('a service error does not count as a failed credential', async () => {
    const { call } = await gatewayOf()
    const { statuses, answers } = await statusesOf(6, (index) => call(token(`busy-${index}`)))
    expect(new Set(statuses)).toEqual(new Set([503]))
    expect(answers[5]?.headers['x-ratelimit-limit']).toBeUndefined()
  })
})

describe('the address of a client', () => {
  test.each([
    ['of one /64', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', 429],
    ['of two /64', '2001:db8:1:2::1', '2001:db8:1:3::1', 401],
    ['that are IPv4, also written as IPv6', '198.51.100.1', '::ffff:198.51.100.1', 429],
    ['of IPv4', '198.51.100.1', '198.51.100.2', 401],
    ['with the port of the client', '198.51.100.1:1024', '198.51.100.1:1025', 429],
    ['that are none', 'unknown', '_hidden', 429],
  ])('%s', async (_kind, first, second, status) => {
    const { call } = await gatewayOf()
    await statusesOf(3, (index) => call({ ...token(`wrong-${index}`), ...from(first) }))
    expect((await call({ ...token('wrong'), ...from(second) })).status).toBe(status)
  })

  test('X-Forwarded-For counts only from trusted proxies', async () => {
    const { call } = await gatewayOf({ trustedHops: 0 })
    const invented = (index: number) => call({ ...basic('a', 'b'), ...from(`198.51.100.${index}`) })
    expect((await statusesOf(4, invented)).statuses).toEqual([401, 401, 401, 429])
  })

  test('an address that the client writes before the one added by the proxy is ignored', async () => {
    const { call } = await gatewayOf()
    const invented = (index: number) =>
      call({ ...basic('a', 'b'), ...from(`198.51.100.${index}, 203.0.113.7`) })
    expect((await statusesOf(4, invented)).statuses).toEqual([401, 401, 401, 429])
  })
})

describe('a good credential when its address has failures', () => {
  const good = {
    'a token': token('good'),
    'a session': cookie('good'),
    'a password': basic('me', 'good'),
  }

  test.each(Object.entries(good))(
    '%s that was used before is still accepted',
    async (_kind, headers) => {
      const { call } = await gatewayOf()
      expect((await call(headers)).status).toBe(200)
      await statusesOf(4, (index) => call(basic(`name-${index}`, 'x')))
      expect((await call(headers)).status).toBe(200)
      expect((await call(headers, '/as/cvat/api/projects/7')).status).toBe(200)
      expect((await call(basic('name', 'x'))).status).toBe(429)
    },
  )

  test.each(Object.entries(good))('%s that is not known yet is limited', async (_kind, headers) => {
    const { call } = await gatewayOf()
    await statusesOf(3, (index) => call(basic(`name-${index}`, 'x')))
    expect((await call(headers)).status).toBe(429)
    expect((await call({ ...headers, ...from('198.51.100.9') })).status).toBe(200)
  })

  test('a good credential is not counted, however often it is used', async () => {
    const { call } = await gatewayOf()
    const users = (index: number) => call(token(`good-${index}`))
    const { statuses, answers } = await statusesOf(10, users)
    expect(new Set(statuses)).toEqual(new Set([200]))
    expect(answers[9]?.headers['x-ratelimit-limit']).toBeUndefined()
    expect((await call({}, '/api/server/about')).headers['x-ratelimit-remaining']).toBe('2')
  })

  test('many concurrent first requests with a good credential are all accepted', async () => {
    const { call } = await gatewayOf()
    const calls = await Promise.all(Array.from({ length: 30 }, () => call(token('good'))))
    expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([200]))
  })

  test('a token is the same credential as Token and Bearer', async () => {
    const { call } = await gatewayOf()
    await call(token('good'))
    await statusesOf(3, (index) => call(token(`wrong-${index}`)))
    expect((await call(token('good', 'Bearer'))).status).toBe(200)
  })

  test('a new session and an issued token are accepted at once', async () => {
    const { call } = await gatewayOf({ rateAuth: 10 })
    await statusesOf(4, (index) => call(token(`wrong-${index}`)))
    const post = (body: object, path: string) => call({}, path, { method: 'POST', body })
    const body = { username: 'annalind', password: 'good' }
    expect((await post(body, '/api/auth/login')).status).toBe(200)
    const made = { username: 'annalind', password1: 'good', password2: 'good' }
    expect((await post(made, '/api/auth/register')).status).toBe(201)
    for (const issued of [
      cookie('issued-session'),
      token('issued-key'),
      token('issued-registered'),
    ])
      expect((await call(issued)).status).toBe(200)
  })

  test('a browser with an expired session can still sign in', async () => {
    const { call } = await gatewayOf()
    await statusesOf(4, (index) => call(token(`wrong-${index}`)))
    const body = { username: 'anna', password: 'good' }
    const answer = await call(cookie('ended'), '/api/auth/login', { method: 'POST', body })
    expect(answer.status).toBe(200)
  })

  test('a password with more than ten wrong guesses is limited as well', async () => {
    const { call } = await gatewayOf()
    const mine = basic('me', 'good')
    await call(mine)
    await statusesOf(3, (index) => call(token(`wrong-${index}`)))
    await statusesOf(10, (index) => call(basic('ME', `x-${index}`)))
    expect((await call(mine)).status).toBe(429)
    expect((await call({ ...mine, ...from('198.51.100.9') })).status).toBe(200)
    await statusesOf(20, (index) => call(basic('other', `x-${index}`)))
    expect(lookups.filter((one) => one.startsWith('Basic'))).toHaveLength(2)
  })
})

describe('the limit of signing in', () => {
  const login = { method: 'POST', body: { username: 'anna', password: 'x' } } as const

  test('counts failures, and its headers are in every response', async () => {
    const { call } = await gatewayOf()
    const { answers, statuses } = await statusesOf(3, () => call({}, '/api/auth/login', login))
    expect(statuses).toEqual([401, 401, 429])
    for (const { headers } of answers) expect(headers['x-ratelimit-limit']).toBe('2')
  })

  test.each([
    ['/api/auth/register', { username: 'someone', password1: 'x', password2: 'y' }],
    ['/api/auth/password/reset', { email: 'a@example.org' }],
    ['/api/auth/password/reset/confirm', {}],
    ['/as/cvat/api/auth/login', { username: 'anna', password: 'x' }],
  ])('covers %s, and counts addresses in one /64 network together', async (path, body) => {
    const { call } = await gatewayOf()
    const { answers, statuses } = await statusesOf(3, (index) =>
      call(from(`2001:db8::${index}`), path, { method: 'POST', body }),
    )
    expect(statuses[2]).toBe(429)
    expect(statuses.slice(0, 2)).not.toContain(429)
    expect(answers[2]?.headers).toMatchObject({ 'x-ratelimit-remaining': '0' })
  })

  test("is replaced by the service's own limit after a lockout", async () => {
    const { call } = await gatewayOf()
    const body = { username: 'locked', password: 'x' }
    const byLogin = await call({}, '/api/auth/login', { method: 'POST', body })
    const byBasic = await call(basic('locked', 'x'))
    for (const { status, headers } of [byLogin, byBasic]) {
      expect([status, headers['retry-after']]).toEqual([429, '500'])
      expect(headers).toMatchObject({ 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0' })
      const left = Number(headers['x-ratelimit-reset']) - Date.now() / 1000
      expect(left).toBeGreaterThan(400)
      expect(left).toBeLessThanOrEqual(501)
    }
  })

  test('refuses a request before its body has arrived', async () => {
    const { call, raw } = await gatewayOf()
    await statusesOf(2, () => call(from('127.0.0.1'), '/api/auth/login', login))
    const head = 'POST /api/auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'
    const shown = await raw(`${head}Content-Type: application/json\r\nContent-Length: 500\r\n\r\n{`)
    expect(shown).toMatch(/^HTTP\/1.1 429 /)
    expect(shown.toLowerCase()).toContain('x-ratelimit-remaining: 0')
  })
})

test('routes without a credential check are not counted: 404, 405, OPTIONS, health and probes', async () => {
  const { call } = await gatewayOf()
  const free: [string, TestRequest, number][] = [
    ['/api/nowhere', {}, 404],
    ['/api/projects/7', { method: 'PUT' }, 405],
    ['/api/projects/7', { method: 'OPTIONS' }, 204],
    ['/api/server/health', {}, 200],
    ['/healthz', {}, 200],
  ]
  for (const [path, sent, status] of free)
    for (let made = 0; made < 4; made++) {
      const answer = await call({}, path, sent)
      expect([path, answer.status]).toEqual([path, status])
    }
  expect((await call(token('wrong'), '/api/nowhere')).status).toBe(404)
  expect((await call({})).headers['x-ratelimit-remaining']).toBe('2')
  expect(lookups).toEqual([])
})

test('a limit of 0 counts nothing and sends no headers', async () => {
  const { call } = await gatewayOf({ rateAnonymous: 0 })
  const { answers, statuses } = await statusesOf(5, (index) => call(token(`wrong-${index}`)))
  expect(new Set(statuses)).toEqual(new Set([401]))
  expect(answers[4]?.headers['x-ratelimit-limit']).toBeUndefined()
})
