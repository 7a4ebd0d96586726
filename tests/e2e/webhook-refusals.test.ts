import { startReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Client, Json } from '../support/client.ts'
import { type Organization, people } from '../support/people.ts'
import { dataDirectory, type Reticle, startReticle } from '../support/reticle.ts'

/**
 * Rows 89, 90, 93 and 94 of the bad-input matrix (`reliability.md` 18), and what else may be asked of webhooks in a wrong way
 * (`spec/extensions.md` 6): they need deliveries, organizations and receivers of their own.
 */

const { path, remove } = dataDirectory()
const receiver = await startReceiver()
let reticle: Reticle
let api: Client
let acme: Organization
let project: Json
const { newOrganization, newPerson } = people(() => reticle)

beforeAll(async () => {
  reticle = await startReticle(path)
  acme = await newOrganization()
  api = (await newPerson()).api
  project = await api.done('POST', '/projects', { json: { name: 'streets' } })
}, 60_000)
afterAll(async () => {
  await reticle.stop()
  await receiver.close()
  remove()
})

const hookOf = (given: object = {}) => ({
  ...{ type: 'project', project_id: project.id, target_url: receiver.url },
  ...{ events: 'create:task', ...given },
})
const addHook = (given: object = {}): Promise<Json> =>
  api.done('POST', '/webhooks', { json: hookOf(given) })
const statusOf = async (method: string, url: string, json?: object, by = api) =>
  (await by.call(method, url, { json })).status

/** A webhook and the record of a delivery of it. */
async function delivered(): Promise<{ hook: Json; delivery: Json }> {
  const hook = await addHook()
  return { hook, delivery: await api.done('POST', `/webhooks/${hook.id}/ping`) }
}

test('row 89: events named twice count once', async () => {
  const hook = await addHook({ events: 'create:task,update:task,create:task' })
  expect(hook.events_list).toEqual(['create:task', 'update:task'])
})

describe('row 90: a webhook belongs to one project or one organization', () => {
  test('a project that there is not is 400, that of somebody else 403', async () => {
    const other = await acme.owner.api.done('POST', '/projects', { json: { name: 'theirs' } })
    const create = (given: object) => statusOf('POST', '/webhooks', hookOf(given))
    expect(await create({ project_id: 2_000_000_000 })).toBe(400)
    expect(await create({ project_id: other.id })).toBe(403)
  })

  test.each([
    ['a project webhook without a project', { type: 'project', project_id: undefined }, ''],
    ['an organization webhook outside of one', { type: 'organization', project_id: undefined }, ''],
    ['both', { type: 'organization' }, '?org='],
  ])('%s is 400', async (_what, given, scope) => {
    const url = `/webhooks${scope && scope + acme.slug}`
    expect(await statusOf('POST', url, hookOf(given), acme.owner.api)).toBe(400)
  })
})

describe('row 93: a redelivery', () => {
  const again = (hook: Json, delivery: Json) =>
    statusOf('POST', `/webhooks/${hook.id}/deliveries/${delivery.id}/redelivery`)

  test('of a delivery that there is not, of another webhook, of a webhook that is gone: 404', async () => {
    const { hook, delivery } = await delivered()
    const other = await addHook()
    expect(await again(hook, { id: 1_000_000_000 })).toBe(404)
    expect(await again(other, delivery)).toBe(404)
    await api.done('DELETE', `/webhooks/${hook.id}`)
    expect(await again(hook, delivery)).toBe(404)
  })

  test('of a webhook that is switched off is 409', async () => {
    const { hook, delivery } = await delivered()
    await api.done('PATCH', `/webhooks/${hook.id}`, { json: { is_active: false } })
    expect(await again(hook, delivery)).toBe(409)
  })

  test('a hundred at once are a hundred', async () => {
    const { hook, delivery } = await delivered()
    receiver.received.length = 0
    const statuses = await Promise.all(Array.from({ length: 100 }, () => again(hook, delivery)))
    expect(new Set(statuses)).toEqual(new Set([200]))
    await vi.waitFor(() => expect(receiver.received).toHaveLength(100), 30_000)
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    expect(new Set(ids)).toEqual(new Set([delivery.delivery_id]))
  })
})

describe('row 94: a ping', () => {
  test('to a target that hangs is 200 with 504, within eleven seconds and a bit', async () => {
    const hook = await addHook()
    receiver.answer({ status: 'hang' })
    const began = performance.now()
    const delivery = await api.done('POST', `/webhooks/${hook.id}/ping`)
    expect(delivery).toMatchObject({ status_code: 504, response: 'no answer in time' })
    expect(delivery.request_duration).toBeGreaterThanOrEqual(9900)
    expect(performance.now() - began).toBeLessThan(18_000) // eleven seconds on a machine with nothing else to do
    receiver.answer({})
  }, 30_000)

  test('to a target that redirects is 200 with 302, and the other place is not asked', async () => {
    const hook = await addHook()
    receiver.received.length = 0
    receiver.answer({ status: 302, headers: { location: `${receiver.url}/elsewhere` } })
    const delivery = await api.done('POST', `/webhooks/${hook.id}/ping`)
    expect(delivery).toMatchObject({ status_code: 302, attempt: 1, redelivery: false })
    expect(receiver.received.map(({ path: at }) => at)).toEqual(['/'])
    receiver.answer({})
  })
})

describe('what is asked wrongly of messages and secrets is 400 and says where', () => {
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
  ])('%s %j: %s', async (what, json, field) => {
    const hook = await addHook()
    const { status, body } = await api.call('POST', `/webhooks/${hook.id}/${what}`, { json })
    expect([status, Object.keys(body)]).toEqual([400, [field]])
  })

  test.each(['events?type=user', '{id}/messages?after=-1', '{id}/messages?after=x'])(
    '%s',
    async (url) => {
      const { id } = await addHook()
      expect(await statusOf('GET', `/webhooks/${url.replace('{id}', id)}`)).toBe(400)
    },
  )
})
