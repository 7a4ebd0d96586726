import { restOperations } from '@reticle/contracts'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type AnyJson,
  type ApiClient,
  type ApiRequestInit,
  createApiClient,
} from '../../support/client.ts'
import { jobsOf, taskWithMedia } from '../../support/factories.ts'
import { annotationFile } from '../../support/pictures.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/**
 * Rights of access tokens. The owner is an administrator, so that only the token limits them. See
 * docs/spec/access.md#access-tokens.
 */

let reticle: ServerUnderTest
let reading: ApiClient
let writing: ApiClient
const ids: Record<string, number> = {}

beforeAll(async () => {
  reticle = await shareReticle()
  const { admin } = reticle
  const token = async (read_only: boolean) => {
    const made = await admin.done('POST', '/auth/access_tokens', { json: { name: 't', read_only } })
    ids.token = made.id
    return createApiClient(`${reticle.url}/api`, `Bearer ${made.value}`)
  }
  reading = await token(true)
  writing = await token(false)
  const task = await taskWithMedia(admin)
  const [job] = await jobsOf(admin, task.id)
  const project = await admin.done('POST', '/projects', { json: { name: 'p' } })
  const self = await admin.done('GET', '/users/self')
  Object.assign(ids, { task: task.id, job: job.id, project: project.id, user: self.id })
})

/** Status codes with a read-only token, and with one that may also write. */
async function both(method: string, address: string, sent: ApiRequestInit = {}): Promise<number[]> {
  const url = address.replace(/:(\w+)/g, (_, name) => String(ids[name]))
  const statuses: number[] = []
  for (const api of [reading, writing]) statuses.push((await api.call(method, url, sent)).status)
  return statuses
}
const json = (body: AnyJson): ApiRequestInit => ({ json: body })
const format = 'format=COCO%201.0'

describe('rights of access tokens', () => {
  test.each([
    ['GET', '/projects/:project'],
    ['HEAD', '/tasks/:task'],
    ['GET', '/jobs/:job/annotations'],
    ['GET', '/users/self'],
    ['GET', '/auth/access_tokens'],
    ['GET', '/auth/access_tokens/:token'],
    ['GET', '/auth/access_tokens/self'],
  ])('%s %s is allowed with both tokens', async (method, address) => {
    expect(await both(method, address)).toEqual([200, 200])
  })

  test.each(['/tasks/:task', '/jobs/:job'])(
    'exporting %s to a file is allowed with both tokens',
    async (target) => {
      for (const api of [reading, writing]) {
        const url = `${target.replace(/:(\w+)/, (_, name) => String(ids[name]))}/dataset/export`
        const { result_url } = await api.finished(await api.done('POST', `${url}?${format}`))
        expect((await api.bytes(result_url)).status).toBe(200)
      }
    },
  )

  test.each([
    ...['/projects/:project', '/tasks/:task', '/jobs/:job'].map((of) => `${of}/dataset/export`),
    ...['/projects/:project', '/tasks/:task'].map((of) => `${of}/backup/export`),
    '/events/export',
  ])('%s to a cloud storage is refused with a read-only token', async (address) => {
    const there = 'location=cloud_storage&cloud_storage_id=999999'
    const [refused, permitted] = await both('POST', `${address}?${format}&${there}`)
    expect(refused).toBe(403)
    expect(permitted, 'there is no such storage').toBe(404)
  })

  test('exporting events and downloading the file is allowed with both tokens', async () => {
    for (const api of [reading, writing]) {
      const { result_url } = await api.finished(await api.done('POST', '/events/export'))
      expect((await api.bytes(result_url)).status).toBe(200)
    }
  })

  test.each<[string, string, ApiRequestInit, number]>([
    ['POST', '/projects', json({ name: 'new' }), 201],
    ['PATCH', '/projects/:project', json({ name: 'other' }), 200],
    ['PUT', '/tasks/:task/annotations', json({ shapes: [] }), 200],
    ['POST', '/tasks/:task/annotations?format=none', { form: annotationFile('{}', 'a.json') }, 400],
    ['DELETE', '/jobs/:job/annotations', {}, 204],
    ['POST', '/organizations', json({ slug: 'new' }), 201],
  ])('%s %s is allowed only with a token that may write', async (method, address, sent, status) => {
    expect(await both(method, address, sent)).toEqual([403, status])
  })

  test.each<[string, string, ApiRequestInit]>([
    ['PATCH', '/users/:user', json({ first_name: 'x' })],
    ['DELETE', '/users/:user', {}],
    ['POST', '/auth/access_tokens', json({ name: 'x' })],
    ['PATCH', '/auth/access_tokens/:token', json({ name: 'x' })],
    ['DELETE', '/auth/access_tokens/:token', {}],
    ['POST', '/events', json({ timestamp: '2026-03-01T10:00:00Z' })],
  ])('%s %s is refused with both tokens', async (method, address, sent) => {
    expect(await both(method, address, sent)).toEqual([403, 403])
  })

  test('changing the password is refused with both tokens, because it needs another way to sign in', async () => {
    const words = {
      old_password: 'a',
      new_password1: 'a-new-password',
      new_password2: 'a-new-password',
    }
    expect(await both('POST', '/auth/password/change', json(words))).toEqual([401, 401])
  })

  test('a read-only token is refused every changing operation but exports and signing out', () => {
    const free = restOperations.filter(
      ({ method, by_token, access }) =>
        method !== 'GET' && by_token === 'always' && access !== 'anyone',
    )
    const names = free.map(({ name }) => name).sort()
    expect(names.filter((name) => !name.startsWith('export'))).toEqual(['changePassword'])
  })
})
