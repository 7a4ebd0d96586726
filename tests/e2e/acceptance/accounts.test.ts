import { addPerson } from '@reticle/standalone/administrator'
import { beforeAll, describe, expect, test } from 'vitest'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { taskWithMedia } from '../../support/factories.ts'
import { longAgo } from '../../support/past.ts'
import {
  basicOf,
  createUserFactory,
  password,
  type RegisteredUser,
  statusOf,
} from '../../support/people.ts'
import {
  dataDirectory,
  type ServerUnderTest,
  shareReticle,
  startReticle,
} from '../../support/reticle.ts'

/** Accounts and the credentials with which people sign in. */

let reticle: ServerUnderTest
let admin: ApiClient
beforeAll(async () => {
  reticle = await shareReticle()
  admin = reticle.admin
})

const { as, newPerson } = createUserFactory(() => reticle)

describe('signing in', () => {
  interface Browser {
    cookie: string
    csrf: string
  }
  async function signIn({ username }: RegisteredUser): Promise<{ key: string } & Browser> {
    const answer = await as().call('POST', '/auth/login', { json: { username, password } })
    expect(answer.status, answer.text).toBe(200)
    const cookies = answer.headers.getSetCookie().map((one) => one.split(';', 1)[0] ?? '')
    const csrf = cookies.find((one) => one.startsWith('csrftoken='))?.split('=')[1] ?? ''
    return { key: answer.body.key, cookie: cookies.join('; '), csrf }
  }
  const self = (headers: Record<string, string>) => as().call('GET', '/users/self', { headers })

  test('each of the five kinds of credentials is accepted, and a wrong one of each kind is answered 401', async () => {
    const person = await newPerson()
    const { username } = person
    const { key, cookie } = await signIn(person)
    const { value } = await person.api.done('POST', '/auth/access_tokens', { json: { name: 'x' } })
    const right: Record<string, string>[] = [
      { authorization: `Token ${value}` },
      { authorization: `bearer ${value}` },
      { authorization: `Token ${key}` },
      { authorization: basicOf(username) },
      { authorization: basicOf(person.email.toUpperCase()) },
      { cookie },
    ]
    for (const headers of right) {
      const { status, body } = await self(headers)
      expect([status, body.username]).toEqual([200, username])
    }
    const wrong: Record<string, string>[] = [
      { authorization: `Token ${value.slice(0, -1)}-` },
      { authorization: `Bearer aaaaaaaa.${'b'.repeat(32)}` },
      { authorization: `Token ${'0'.repeat(40)}` },
      { authorization: basicOf(username, 'wrong') },
      { authorization: basicOf('nobody-at-all') },
      { cookie: 'sessionid=nothing' },
      { authorization: 'Token wrong', cookie },
    ]
    for (const headers of wrong) {
      const { status, headers: got } = await self(headers)
      expect([status, got.get('www-authenticate')], JSON.stringify(headers)).toEqual([401, 'Token'])
    }
    const login = { username, password: 'wrong' }
    const refused = await as().call('POST', '/auth/login', { json: login })
    expect([refused.status, refused.body.code]).toEqual([401, 'invalid_credentials'])
  })

  test('an inactive user cannot sign in with any credential', async () => {
    const person = await newPerson()
    const { key } = await signIn(person)
    await admin.done('PATCH', `/users/${person.id}`, { json: { is_active: false } })
    for (const authorization of [`Token ${key}`, basicOf(person.username)])
      await expect
        .poll(() => statusOf(as(authorization), 'GET', '/users/self'), { timeout: 60_000 })
        .toBe(401)
    const { username } = person
    expect(await statusOf(as(), 'POST', '/auth/login', { username, password })).toBe(400)
  })

  test('a session cannot change anything without the CSRF token from its other cookie', async () => {
    const { cookie, csrf } = await signIn(await newPerson())
    const change = (headers: Record<string, string>) =>
      as().call('POST', '/projects', { json: { name: 'p' }, headers: { cookie, ...headers } })
    const forged = await change({})
    expect([forged.status, forged.body.code]).toEqual([403, 'csrf_failed'])
    expect((await change({ 'x-csrftoken': 'x' })).status).toBe(403)
    expect((await change({ 'x-csrftoken': csrf })).status).toBe(201)
  })

  test('signing out revokes the legacy token but no access token', async () => {
    const person = await newPerson()
    const { key } = await signIn(person)
    const { value } = await person.api.done('POST', '/auth/access_tokens', { json: { name: 'x' } })
    await as(`Token ${key}`).done('POST', '/auth/logout')
    await as(`Token ${value}`).done('POST', '/auth/logout')
    const byKey = () => statusOf(as(`Token ${key}`), 'GET', '/users/self')
    await expect.poll(byKey, { timeout: 60_000 }).toBe(401)
    expect((await self({ authorization: `Token ${value}` })).status).toBe(200)
    expect(await statusOf(as(), 'POST', '/auth/logout')).toBe(200)
  })

  test('Basic authentication reports an unverified e-mail address where verification is mandatory', async ({
    skip,
  }) => {
    const other = dataDirectory()
    const env = { RETICLE_PROJECTS_EMAIL_VERIFICATION: 'mandatory' }
    const strict = await startReticle(other.path, env)
    if (strict.pid === 0) skip('settings of a system that runs already are what they are')
    try {
      const fresh = { username: 'fresh', email: 'fresh@example.org', password }
      await addPerson(await strict.people(), { ...fresh, is_email_verified: false })
      const api = createApiClient(`${strict.url}/api`, basicOf('fresh'))
      const answer = await api.call('GET', '/users/self')
      expect([answer.status, answer.body.detail]).toEqual([401, 'E-mail is not verified.'])
      const { username } = fresh
      const login = await createApiClient(`${strict.url}/api`).call('POST', '/auth/login', {
        json: { username, password },
      })
      expect([login.status, login.body.code]).toEqual([400, 'email_unverified'])
    } finally {
      await strict.stop()
      other.remove()
    }
  }, 120_000)
})

describe('access tokens', () => {
  const tokens = '/auth/access_tokens'
  const make = (api: ApiClient, json: AnyJson = {}) =>
    api.done('POST', tokens, { json: { name: 'x', ...json } })
  const works = (value: string) => statusOf(as(`Token ${value}`), 'GET', '/users/self')

  test('a token is read-only by default, and its value is shown only once', async () => {
    const { api } = await newPerson()
    const { value, ...token } = await make(api)
    expect(token).toMatchObject({ read_only: true, expiry_date: null, last_used_date: null })
    expect(value).toMatch(/^\w{8}\.\w{32}$/)
    const shown = await api.call('GET', `${tokens}/${token.id}`)
    expect(shown.body).toEqual(token)
    for (const url of [tokens, `${tokens}/${token.id}`])
      expect((await api.call('GET', url)).text).not.toContain(value.slice(9))
    expect((await as(`Token ${value}`).done('GET', `${tokens}/self`)).id).toBe(token.id)
    expect(await statusOf(api, 'GET', `${tokens}/self`)).toBe(401)
  })

  test('an expiry date is shown as DD/MM/YYYY and is also accepted in ISO format', async () => {
    const { api } = await newPerson()
    for (const [given, shown] of [
      ['31/12/2026', '31/12/2026'],
      ['2099-12-31', '31/12/2099'],
      ['2099-12-31T10:00:00+02:00', '31/12/2099'],
      [null, null],
    ])
      expect((await make(api, { expiry_date: given })).expiry_date).toBe(shown)
    for (const expiry_date of ['31/02/2026', '2026-13-01', 'soon']) {
      const answer = await api.call('POST', tokens, { json: { name: 'x', expiry_date } })
      expect([answer.status, Object.keys(answer.body)]).toEqual([400, ['expiry_date']])
    }
  })

  test('expired, stale and revoked tokens are refused', async () => {
    const { api } = await newPerson()
    const expired = await make(api, { expiry_date: '01/01/2000' })
    expect(await works(expired.value)).toBe(401)

    const stale = await make(api)
    const statement = `update access_tokens set created_date = now() - interval '181 days' where id = $1`
    await longAgo(await reticle.people(), statement, [stale.id])
    expect(await works(stale.value)).toBe(401)

    const revoked = await make(api)
    expect(await works(revoked.value)).toBe(200)
    await api.done('DELETE', `${tokens}/${revoked.id}`)
    await expect.poll(() => works(revoked.value), { timeout: 60_000 }).toBe(401)
    for (const { id } of [expired, stale, revoked])
      expect(await statusOf(api, 'GET', `${tokens}/${id}`)).toBe(404)
    expect((await api.done('GET', tokens)).count).toBe(0)
  })

  test('a user can have at most fifty tokens', async () => {
    const { api } = await newPerson()
    for (let made = 0; made < 50; made++) await make(api)
    const answer = await api.call('POST', tokens, { json: { name: 'x' } })
    expect([answer.status, answer.body]).toEqual([
      400,
      ['You have reached the maximum allowed number of Personal Access Tokens for a user'],
    ])
  }, 60_000)

  test('a read-only token can export to a file but not to cloud storage, and no token can manage tokens', async () => {
    const { api } = await newPerson()
    const task = await taskWithMedia(api)
    const reader = as(`Bearer ${(await make(api)).value}`)
    const writer = as(`Bearer ${(await make(api, { read_only: false })).value}`)
    const change = `/tasks/${task.id}`
    expect(await statusOf(reader, 'GET', change)).toBe(200)
    expect(await statusOf(reader, 'PATCH', change, { name: 'y' })).toBe(403)
    expect(await statusOf(writer, 'PATCH', change, { name: 'y' })).toBe(200)
    const exported = `/tasks/${task.id}/dataset/export?format=COCO%201.0`
    expect(await statusOf(reader, 'POST', exported)).toBe(202)
    const cloud = `${exported}&location=cloud_storage&cloud_storage_id=1&filename=a.zip`
    expect(await statusOf(reader, 'POST', cloud)).toBe(403)
    const [first] = (await api.done('GET', tokens)).results
    for (const one of [reader, writer]) {
      expect(await statusOf(one, 'POST', tokens, { name: 'z' })).toBe(403)
      expect(await statusOf(one, 'PATCH', `${tokens}/${first.id}`, { name: 'z' })).toBe(403)
      expect(await statusOf(one, 'DELETE', `${tokens}/${first.id}`)).toBe(403)
    }
  })

  test('tokens of other users are hidden, even from the list of an administrator', async () => {
    const { api } = await newPerson()
    const { id } = await make(api)
    const ids = (await admin.done('GET', `${tokens}?page_size=100`)).results.map(
      (one: AnyJson) => one.id,
    )
    expect(ids).not.toContain(id)
    expect(await statusOf((await newPerson()).api, 'GET', `${tokens}/${id}`)).toBe(403)
    expect(await statusOf(admin, 'GET', `${tokens}/${id}`)).toBe(200)
  })
})
