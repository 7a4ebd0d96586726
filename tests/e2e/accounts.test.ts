import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createApiClient } from '../support/client.ts'
import { dataDirectory, type Reticle, startReticle } from '../support/reticle.ts'

/** The lifetime of an account: registration, a browser session, password recovery and deletion. */

const { path, remove } = dataDirectory()
let reticle: Reticle
beforeAll(async () => {
  reticle = await startReticle(path)
})
afterAll(async () => {
  await reticle.stop()
  remove()
})

const username = 'newcomer'
const email = 'newcomer@example.org'
const anonymous = () => createApiClient(`${reticle.url}/api`)

interface Browser {
  cookie: string
  csrf: string
}

async function signIn(password: string): Promise<Browser> {
  const answer = await anonymous().call('POST', '/auth/login', { json: { username, password } })
  expect(answer.status, answer.text).toBe(200)
  const cookies = answer.headers.getSetCookie().map((one) => one.split(';', 1)[0] ?? '')
  const csrf = cookies.find((one) => one.startsWith('csrftoken='))?.split('=')[1] ?? ''
  return { cookie: cookies.join('; '), csrf }
}
const reading = ({ cookie }: Browser) => ({ cookie })
const writing = ({ cookie, csrf }: Browser) => ({ cookie, 'x-csrftoken': csrf })

test('an account is registered, used in a browser, recovered by e-mail and deleted', async () => {
  const api = anonymous()
  const password = 'Blue-Kettle-42'
  const person = { username, email, password1: password, password2: password }
  const made = await api.done('POST', '/auth/register', { json: person })
  const byKey = createApiClient(`${reticle.url}/api`, `Token ${made.key}`)
  expect(await byKey.done('GET', '/users/self')).toMatchObject({ username, groups: ['user'] })

  const browser = await signIn(password)
  const json = { name: 'mine' }
  const forged = await api.call('POST', '/projects', { json, headers: reading(browser) })
  expect([forged.status, forged.headers.get('x-error-code')]).toEqual([403, 'csrf_failed'])
  const project = await api.done('POST', '/projects', { json, headers: writing(browser) })
  expect(project.owner.username).toBe(username)
  const listed = await api.done('GET', '/users', { headers: reading(browser) })
  expect(listed.results).toEqual([project.owner])

  await api.done('POST', '/auth/password/reset', { json: { email } })
  const mail = await newestMail()
  const [, uid, token] = /\?uid=(\d+)&token=(\w+)/.exec(mail) ?? []
  const fresh = { new_password1: 'Red-Kettle-43', new_password2: 'Red-Kettle-43' }
  await api.done('POST', '/auth/password/reset/confirm', { json: { uid, token, ...fresh } })
  const ended = await api.call('GET', '/users/self', { headers: reading(browser) })
  expect(ended.status).toBe(401)

  const again = await signIn(fresh.new_password1)
  await api.done('POST', '/auth/logout', { headers: writing(again) })
  expect((await api.call('GET', '/users/self', { headers: reading(again) })).status).toBe(401)

  const last = await signIn(fresh.new_password1)
  const deletion = await api.call('DELETE', `/users/${listed.results[0].id}`, {
    headers: writing(last),
  })
  expect(deletion.status).toBe(204)
  expect((await api.call('GET', '/users/self', { headers: reading(last) })).status).toBe(401)
  expect(await reticle.admin.done('GET', `/projects/${project.id}`)).toMatchObject({ owner: null })
})

/** A single process writes mails to files next to its data, after the call has returned. */
async function newestMail(): Promise<string> {
  const folder = join(path, 'mail')
  const [name] = await expect
    .poll(() => namesIn(folder), { timeout: 60_000 })
    .not.toEqual([])
    .then(() => namesIn(folder))
  return readFileSync(join(folder, name ?? ''), 'utf8')
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.eml'))
  } catch {
    return []
  }
}

test('the event log shows an administrator registrations, sign-ins, failed sign-ins and deletions', async () => {
  const { admin } = reticle
  const login = { username: 'nobody-at-all', password: 'wrong' }
  expect((await anonymous().call('POST', '/auth/login', { json: login })).status).toBe(401)
  const expected = [
    ...['create:user', 'login:user', 'logout:user', 'delete:user'],
    'reject:login,username,,nobody-at-all',
  ]
  await vi.waitFor(
    async () => {
      const { result_url } = await admin.finished(await admin.done('POST', '/events/export'))
      const file = (await admin.bytes(result_url)).bytes.toString()
      for (const one of expected) expect(file).toContain(one)
      expect(file).not.toContain('Blue-Kettle-42')
    },
    { timeout: 60_000, interval: 200 },
  )
}, 60_000)
