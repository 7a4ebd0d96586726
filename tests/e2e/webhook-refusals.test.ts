import { startReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { AnyJson, ApiClient } from '../support/client.ts'
import { createUserFactory, type TestOrganization } from '../support/people.ts'
import { type ServerUnderTest, shareReticle } from '../support/reticle.ts'

/**
 * Rows 89, 90, 93 and 94 of the bad-input matrix, and other invalid calls on webhooks. They need deliveries,
 * organizations and separate receivers.
 */

const receiver = await startReceiver()
const silent = await startReceiver()
/** The ping of a target that hangs, which takes the time of all other tests. */
let hangingPing: Promise<AnyJson>
let reticle: ServerUnderTest
let api: ApiClient
let acme: TestOrganization
let project: AnyJson
const { newOrganization, newPerson } = createUserFactory(() => reticle)

beforeAll(async () => {
  reticle = await shareReticle()
  acme = await newOrganization()
  api = (await newPerson()).api
  project = await api.done('POST', '/projects', { json: { name: 'streets' } })
  silent.answer({ status: 'hang' })
  const hook = await addHook({ target_url: silent.url })
  hangingPing = api.done('POST', `/webhooks/${hook.id}/ping`)
}, 60_000)
afterAll(async () => {
  await hangingPing
  await receiver.close()
  await silent.close()
})

const hookOf = (given: object = {}) => ({
  ...{ type: 'project', project_id: project.id, target_url: receiver.url },
  ...{ events: 'create:task', ...given },
})
const addHook = (given: object = {}): Promise<AnyJson> =>
  api.done('POST', '/webhooks', { json: hookOf(given) })
const statusOf = async (method: string, url: string, json?: object, by = api) =>
  (await by.call(method, url, { json })).status

/** Creates a webhook with the record of one delivery. */
async function delivered(): Promise<{ hook: AnyJson; delivery: AnyJson }> {
  const hook = await addHook()
  return { hook, delivery: await api.done('POST', `/webhooks/${hook.id}/ping`) }
}

test('row 89: an event that is listed twice is stored once', async () => {
  const hook = await addHook({ events: 'create:task,update:task,create:task' })
  expect(hook.events_list).toEqual(['create:task', 'update:task'])
})

describe('row 90: a webhook belongs to one project or one organization', () => {
  test('an unknown project is answered 400, and a project of another user 403', async () => {
    const other = await acme.owner.api.done('POST', '/projects', { json: { name: 'theirs' } })
    const create = (given: object) => statusOf('POST', '/webhooks', hookOf(given))
    expect(await create({ project_id: 2_000_000_000 })).toBe(400)
    expect(await create({ project_id: other.id })).toBe(403)
  })

  test.each([
    ['a project webhook without a project', { type: 'project', project_id: undefined }, ''],
    ['an organization webhook outside of one', { type: 'organization', project_id: undefined }, ''],
    ['both', { type: 'organization' }, '?org='],
  ])('%s is answered 400', async (_what, given, scope) => {
    const url = `/webhooks${scope && scope + acme.slug}`
    expect(await statusOf('POST', url, hookOf(given), acme.owner.api)).toBe(400)
  })
})

describe('row 93: redelivery', () => {
  const again = (hook: AnyJson, delivery: AnyJson) =>
    statusOf('POST', `/webhooks/${hook.id}/deliveries/${delivery.id}/redelivery`)

  test('an unknown delivery, one of another webhook and one of a deleted webhook are answered 404', async () => {
    const { hook, delivery } = await delivered()
    const other = await addHook()
    expect(await again(hook, { id: 1_000_000_000 })).toBe(404)
    expect(await again(other, delivery)).toBe(404)
    await api.done('DELETE', `/webhooks/${hook.id}`)
    expect(await again(hook, delivery)).toBe(404)
  })

  test('a redelivery for an inactive webhook is answered 409', async () => {
    const { hook, delivery } = await delivered()
    await api.done('PATCH', `/webhooks/${hook.id}`, { json: { is_active: false } })
    expect(await again(hook, delivery)).toBe(409)
  })

  test('a hundred concurrent redeliveries send a hundred messages', async () => {
    const { hook, delivery } = await delivered()
    receiver.received.length = 0
    const statuses = await Promise.all(Array.from({ length: 100 }, () => again(hook, delivery)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    await vi.waitFor(() => expect(receiver.received).toHaveLength(100), 60_000)
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids)).toEqual(new Set([delivery.delivery_id]))
  })
})

describe('row 94: ping', () => {
  test('a ping to a target that hangs returns 200 with status code 504 after about eleven seconds', async () => {
    const delivery = await hangingPing
    expect(delivery).toMatchObject({ status_code: 504, response: 'no answer in time' })
    expect(delivery.request_duration).toBeGreaterThanOrEqual(9900)
  }, 30_000)

  test('a ping to a target that redirects returns 200 with 302, and does not follow', async () => {
    const hook = await addHook()
    receiver.received.length = 0
    receiver.answer({ status: 302, headers: { location: `${receiver.url}/elsewhere` } })
    const delivery = await api.done('POST', `/webhooks/${hook.id}/ping`)
    expect(delivery).toMatchObject({ status_code: 302, attempt: 1, redelivery: false })
    expect(receiver.received.map(({ path: at }) => at)).toEqual(['/'])
    receiver.answer({})
  })
})

describe('invalid calls on messages and secrets are answered 400 with the field', () => {
  test.each([
    ['messages/redeliver', { from: 2 }, 'to'],
    ['messages/redeliver', { to: 2 }, 'from'],
    ['messages/redeliver', { from: 3, to: 2 }, 'to'],
    ['messages/redeliver', { from: 0, to: 2 }, 'from'],
    ['messages/redeliver', {}, 'from'],
    ['messages/redeliver', { failed_since: 'yesterday' }, 'failed_since'],
    ['rotate_secret', { secret: '' }, 'secret'],
    ['rotate_secret', { secret: 'x'.repeat(65) }, 'secret'],
    ['rotate_secret', {}, 'secret'],
    ['rotate_secret', { secret: 'next', overlap_hours: -1 }, 'overlap_hours'],
    ['rotate_secret', { secret: 'next', overlap_hours: 'long' }, 'overlap_hours'],
  ])('%s with %j names the field %s', async (what, json, field) => {
    const hook = await addHook()
    const { status, body } = await api.call('POST', `/webhooks/${hook.id}/${what}`, { json })
    expect([status, Object.keys(body)]).toEqual([400, [field]])
  })

  test.each(['events?type=user', '{id}/messages?after=-1', '{id}/messages?after=x'])(
    '%s is answered 400',
    async (url) => {
      const { id } = await addHook()
      expect(await statusOf('GET', `/webhooks/${url.replace('{id}', id)}`)).toBe(400)
    },
  )
})
