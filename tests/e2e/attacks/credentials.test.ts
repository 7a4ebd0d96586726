import { expect, test } from 'vitest'
import type { ApiRequestInit } from '../../support/client.ts'
import { createUserFactory } from '../../support/people.ts'
import { useOwnServer } from '../../support/test-server.ts'

/** The server counts failed credentials of every kind by address, before it looks up the credential. */

const [perMinute, signInsPerMinute] = [30, 20]
const reticle = useOwnServer({
  RETICLE_GATEWAY_RATE_ANONYMOUS: String(perMinute),
  RETICLE_GATEWAY_RATE_AUTH: String(signInsPerMinute),
  RETICLE_GATEWAY_TRUST_PROXY: '1',
})
const { newPerson } = createUserFactory(() => reticle)

let addresses = 0
/** Headers of a call from an address that no other test uses. */
const newAddress = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` })

const authorization = (text: string): ApiRequestInit => ({ headers: { authorization: text } })
const login = (username: string): ApiRequestInit => ({ json: { username, password: 'x' } })
const basicOf = (user: string) => authorization(`Basic ${btoa(`${user}:x`)}`)

interface Kind {
  what: string
  method?: string
  path: string
  sent: (count: number) => ApiRequestInit
  most?: number
}

/** Each kind of wrong credential, a new one in every call. */
const kinds: Kind[] = [
  { what: 'no credential', path: '/projects', sent: () => ({}) },
  { what: 'a token', path: '/projects', sent: (n) => authorization(`Token ${10 ** 39 + n}`) },
  { what: 'an access token', path: '/tasks', sent: (n) => authorization(`Bearer abcdefgh.${n}`) },
  {
    what: 'a session cookie',
    path: '/jobs',
    sent: (n) => ({ headers: { cookie: `sessionid=${n}abcdef` } }),
  },
  { what: 'an unknown scheme', path: '/users/self', sent: (n) => authorization(`Digest ${n}`) },
  {
    what: 'a scheme without a value',
    path: '/users/self',
    sent: (n) => authorization('Token '.repeat(n + 1)),
  },
  {
    what: 'a Basic value without a colon',
    path: '/projects',
    sent: (n) => authorization(`Basic ${btoa(`u${n}`)}`),
  },
  {
    what: 'a password for one account',
    path: '/projects',
    sent: (n) => authorization(`Basic ${btoa(`admin:x${n}`)}`),
    most: 10, // the limit per account is reached first
  },
  { what: 'a password on HEAD', method: 'HEAD', path: '/tasks', sent: (n) => basicOf(`h${n}`) },
  {
    what: 'a password on the path of an upload',
    method: 'PATCH',
    path: '/tasks/1/data/x',
    sent: (n) => basicOf(`u${n}`),
  },
  {
    what: 'a password in a body',
    method: 'POST',
    path: '/auth/login',
    sent: (n) => login(`u${n}`),
    most: signInsPerMinute,
  },
]

test.each(kinds)('$what that fails is limited by address', async (kind) => {
  const { method = 'GET', path, sent, most = perMinute } = kind
  const address = newAddress()
  const statuses: number[] = []
  while (statuses.at(-1) !== 429 && statuses.length <= most) {
    const { headers, ...rest } = sent(statuses.length)
    const answer = await reticle.admin.call(method, path, {
      ...rest,
      headers: { authorization: '', ...address, ...headers },
    })
    statuses.push(answer.status)
    for (const name of ['limit', 'remaining', 'reset'])
      expect(answer.headers.get(`x-ratelimit-${name}`), name).toMatch(/^\d+$/)
    if (answer.status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(statuses.at(-1)).toBe(429)
})

test('addresses of one IPv6 network share a limit, those of another do not', async () => {
  const statusOf = async (address: string) => {
    const headers = { authorization: 'Token x', 'x-forwarded-for': address }
    return (await reticle.admin.call('GET', '/projects', { headers })).status
  }
  for (let count = 0; count < perMinute; count += 1)
    expect(await statusOf(`2001:db8:0:1::${count.toString(16)}`)).toBe(401)
  expect(await statusOf('2001:db8:0:1:ffff:ffff:ffff:ffff')).toBe(429)
  expect(await statusOf('2001:0DB8:0000:0001::77')).toBe(429)
  expect(await statusOf('2001:db8:0:2::1')).toBe(401)
})

test('a mapped IPv4 address and the address itself share a limit', async () => {
  const { 'x-forwarded-for': address } = newAddress()
  const statusOf = async (spelled: string) => {
    const headers = { authorization: 'Token x', 'x-forwarded-for': spelled }
    return (await reticle.admin.call('GET', '/projects', { headers })).status
  }
  for (let count = 0; count < perMinute; count += 1) expect(await statusOf(address)).toBe(401)
  expect(await statusOf(`::ffff:${address}`)).toBe(429)
})

test('a credential that was accepted before is accepted after the limit of its address', async () => {
  const known = await newPerson()
  const address = newAddress()
  const knownStatus = async () =>
    (await known.api.call('GET', '/projects', { headers: address })).status
  expect(await knownStatus()).toBe(200)
  for (let count = 0; count <= perMinute; count += 1)
    await reticle.admin.call('GET', '/projects', {
      headers: { ...address, authorization: `Token ${count}` },
    })
  const refused = await reticle.admin.call('GET', '/projects', {
    headers: { ...address, authorization: 'Token x' },
  })
  expect(refused.status).toBe(429)
  expect(await knownStatus()).toBe(200)
})
