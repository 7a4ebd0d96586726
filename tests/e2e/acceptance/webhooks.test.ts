import { createHmac } from 'node:crypto'
import { type Received, startReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { AnyJson, ApiClient } from '../../support/client.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'
import { libraries, type StockReceiver, startStockReceiver } from '../../support/stock-receiver.ts'

/** Webhooks: records, pings, redeliveries, retries, targets and signatures. See docs/spec/webhooks.md#delivery. */

let reticle: ServerUnderTest
let api: ApiClient
let project: AnyJson
const receiver = await startReceiver()

beforeAll(async () => {
  reticle = await shareReticle()
  api = reticle.admin
  project = await api.done('POST', '/projects', { json: { name: 'streets' } })
})
afterAll(async () => {
  await receiver.close()
})
beforeEach(() => {
  receiver.received.length = 0
  receiver.answer({})
})

const secret = 'not to be told'
const addHook = (given: object = {}): Promise<AnyJson> =>
  api.done('POST', '/webhooks', {
    json: {
      ...{ type: 'project', project_id: project.id, target_url: receiver.url, secret },
      ...{ events: 'create:task', ...given },
    },
  })
const addTask = (name: string): Promise<AnyJson> =>
  api.done('POST', '/tasks', { json: { name, project_id: project.id } })
const deliveries = async ({ id }: AnyJson): Promise<AnyJson[]> =>
  (await api.done('GET', `/webhooks/${id}/deliveries?page_size=100`)).results
const untilDeliveries = (hook: AnyJson, count: number) =>
  vi.waitFor(async () => expect(await deliveries(hook)).toHaveLength(count), {
    ...{ timeout: 60_000, interval: 50 },
  })

/** The expected signature header, computed over the body as received. */
const signatureOf = ({ body }: Received, by = secret) =>
  `sha256=${createHmac('sha256', by).update(body).digest('hex')}`

describe('webhooks', () => {
  test('events can be sent as a text or a list, and the secret is never returned', async () => {
    const one = await addHook({ events: 'update:task, create:task' })
    const other = await addHook({ events: ['update:task', 'create:task'] })
    for (const hook of [one, other])
      expect(hook).toMatchObject({
        ...{ events: 'create:task,update:task', events_list: ['create:task', 'update:task'] },
        has_secret: true,
      })
    const lists = await api.call('GET', '/webhooks?page_size=100')
    expect(lists.text).not.toContain(secret)
    for (const { id } of [one, other]) await api.done('DELETE', `/webhooks/${id}`)
  })

  test('the names of events are listed by type', async () => {
    const all = await api.done('GET', '/webhooks/events')
    expect(all.webhook_type).toBe('all')
    expect(all.events).toContain('create:project')
    const { events } = await api.done('GET', '/webhooks/events?type=project')
    expect(events).toContain('update:project')
    expect(events).not.toContain('create:project')
    expect((await api.call('GET', '/webhooks/events?type=user')).status).toBe(400)
  })

  test('a ping makes one attempt, also for an inactive webhook', async () => {
    const hook = await addHook({ is_active: false })
    receiver.answer({ status: 418, body: 'a teapot' })
    const delivery = await api.done('POST', `/webhooks/${hook.id}/ping`)
    expect(delivery).toMatchObject({
      ...{ event: 'ping', status_code: 418, response: 'a teapot', attempt: 1 },
      request: { event: 'ping', webhook: { id: hook.id }, sender: { username: 'admin' } },
    })
    const [got] = receiver.received
    expect(got?.headers['x-signature-256']).toBe(got && signatureOf(got))
    expect(await deliveries(hook)).toEqual([delivery])
    await api.done('DELETE', `/webhooks/${hook.id}`)
  })

  test('a delivery can be sent again unchanged, but not for an inactive webhook', async () => {
    const hook = await addHook()
    await addTask('one')
    await untilDeliveries(hook, 1)
    const [first] = await deliveries(hook)
    const again = `/webhooks/${hook.id}/deliveries/${first?.id}/redelivery`
    expect(await api.done('POST', again)).toEqual({})
    await untilDeliveries(hook, 2)
    const [second] = await deliveries(hook)
    expect(second).toMatchObject({ redelivery: true, delivery_id: first?.delivery_id })
    expect(second?.request).toEqual(first?.request)
    const [one, two] = receiver.received.map(({ body }) => body.toString())
    expect(two).toBe(one)
    await api.done('PATCH', `/webhooks/${hook.id}`, { json: { is_active: false } })
    const refused = await api.call('POST', again)
    expect([refused.status, refused.body]).toMatchObject([409, { detail: expect.any(String) }])
    await api.done('DELETE', `/webhooks/${hook.id}`)
  })

  test('a receiver that was unavailable finds the missed deliveries by their sequence numbers', async () => {
    const hook = await addHook()
    receiver.answer({ status: 404 })
    for (const [at, name] of ['one', 'two', 'three'].entries()) {
      await addTask(name) // order is guaranteed only among the events of one task
      await untilDeliveries(hook, at + 1)
    }
    const page = await api.done('GET', `/webhooks/${hook.id}/messages?after=1`)
    expect(page.count).toBe(2)
    expect(page.results).toMatchObject([
      { sequence: 2, state: 'failed', attempts: 1, payload: { task: { name: 'two' } } },
      { sequence: 3, state: 'failed', attempts: 1, payload: { task: { name: 'three' } } },
    ])
    receiver.answer({})
    const path = `/webhooks/${hook.id}/messages/redeliver`
    const queued = await api.call('POST', path, { json: { from: 2, to: 3 } })
    expect([queued.status, queued.body]).toEqual([202, { count: 2 }])
    await untilDeliveries(hook, 5)
    const { results } = await api.done('GET', `/webhooks/${hook.id}/messages`)
    expect(results.map(({ state }: AnyJson) => state)).toEqual(['failed', 'delivered', 'delivered'])
    expect((await api.call('POST', path, { json: { from: 2 } })).status).toBe(400)
    await api.done('DELETE', `/webhooks/${hook.id}`)
  })

  test('a transient failure is retried, but a refusal or a redirect is not', async () => {
    const statuses = [500, 429, 404, 302]
    for (const status of statuses) {
      const hook = await addHook()
      receiver.received.length = 0
      const headers = { location: `${receiver.url}/elsewhere` }
      receiver.answer((_, nth) => (nth === 1 ? { status, headers } : {}))
      await addTask(`answered by ${status}`)
      const isTriedAgain = status >= 429
      await untilDeliveries(hook, isTriedAgain ? 2 : 1)
      const seen = (await deliveries(hook)).map(({ status_code, attempt }) => [
        status_code,
        attempt,
      ])
      expect(seen).toEqual(
        isTriedAgain
          ? [
              [200, 2],
              [status, 1],
            ]
          : [[status, 1]],
      )
      expect(receiver.received.map(({ path: at }) => at)).not.toContain('/elsewhere')
      await api.done('DELETE', `/webhooks/${hook.id}`)
    }
  })

  test('an internal target is refused, and during a rotation deliveries carry both signatures', async () => {
    const json = { type: 'project', project_id: project.id, events: 'create:task' }
    for (const target_url of ['https://10.0.0.1/', 'https://localhost/', 'https://x.internal/']) {
      const refused = await api.call('POST', '/webhooks', { json: { ...json, target_url } })
      expect([target_url, refused.status]).toEqual([target_url, 400])
    }
    const hook = await addHook()
    const rotated = await api.done('POST', `/webhooks/${hook.id}/rotate_secret`, {
      json: { secret: 'another', overlap_hours: 1 },
    })
    expect(rotated.has_secret).toBe(true)
    await addTask('signed twice')
    await untilDeliveries(hook, 1)
    const [got] = receiver.received
    expect(got?.headers['x-signature-256']).toBe(got && signatureOf(got, 'another'))
    expect(String(got?.headers['webhook-signature']).split(' ')).toHaveLength(2)
  })
})

describe.each(libraries)('a receiver with %s (T-WH-8)', (library) => {
  const first = `zwischen uns, ${library}`
  let stock: StockReceiver
  let hook: AnyJson
  const untilAccepted = (count: number) =>
    vi.waitFor(() => expect([stock.accepted.length, stock.refused()]).toEqual([count, 0]), {
      timeout: 60_000,
      interval: 20,
    })
  const seen = () => stock.accepted.map(({ payload }) => payload.event)

  beforeAll(async () => {
    stock = await startStockReceiver(library, [first])
    const events = ['create:task', 'update:task', 'delete:task', 'update:project']
    hook = await addHook({ target_url: stock.url, secret: first, events })
  })
  afterAll(async () => {
    await api.done('DELETE', `/webhooks/${hook.id}`)
    await stock.close()
  })

  test('the library accepts events of several kinds, a ping and a redelivery', async () => {
    await api.done('POST', `/webhooks/${hook.id}/ping`)
    const name = `grüße \u2028 東京 ${0.1 + 0.2}`
    const task = await addTask(name)
    await api.done('PATCH', `/tasks/${task.id}`, { json: { name: `${name} 😀` } })
    await api.done('DELETE', `/tasks/${task.id}`)
    await api.done('PATCH', `/projects/${project.id}`, { json: { name: `straße ${hook.id}` } })
    await untilAccepted(5)
    expect(seen().sort()).toEqual([
      ...['create:task', 'delete:task', 'ping', 'update:project', 'update:task'],
    ])
    await untilDeliveries(hook, 5)
    const all = await deliveries(hook)
    expect(all.map(({ status_code }) => status_code)).toEqual([204, 204, 204, 204, 204])
    const { id } = all.find(({ event }) => event === 'create:task') ?? {}
    await api.done('POST', `/webhooks/${hook.id}/deliveries/${id}/redelivery`)
    await untilAccepted(6)
    const twice = stock.accepted.filter(({ payload }) => payload.event === 'create:task')
    expect(twice[1]?.delivered.body).toEqual(twice[0]?.delivered.body)
    expect(twice[0]?.payload.task.name).toBe(name)
  })

  test('the library refuses deliveries that were changed in transit', async () => {
    const before = stock.accepted.length
    for (const { delivered } of stock.accepted.slice()) {
      const { body, headers } = delivered
      const { 'webhook-timestamp': time = '', 'x-signature-256': signature = '' } = headers
      const tampered = [
        { body: Buffer.from(String(body).replace('"event"', '"Event"')) },
        { body: Buffer.concat([body, Buffer.from(' ')]) },
        {
          headers: { 'x-signature-256': signature.replace(/.$/, 'x'), 'webhook-signature': 'v1,x' },
        },
      ]
      const later = { headers: { 'webhook-timestamp': `${Number(time) + 1}` } }
      const signsTime = library !== '@octokit/webhooks-methods' // its signature covers the body alone
      for (const change of signsTime ? [...tampered, later] : tampered)
        expect(
          await send({ ...delivered, ...change, headers: { ...headers, ...change.headers } }),
        ).toBe(401)
      expect(await send(delivered)).toBe(204)
    }
    expect(stock.accepted).toHaveLength(before * 2)
    const others = await startStockReceiver(library, ['the secret of somebody else'])
    await api.done('PATCH', `/webhooks/${hook.id}`, { json: { target_url: others.url } })
    expect(await api.done('POST', `/webhooks/${hook.id}/ping`)).toMatchObject({ status_code: 401 })
    expect([others.accepted.length, others.refused()]).toEqual([0, 1])
    await api.done('PATCH', `/webhooks/${hook.id}`, { json: { target_url: stock.url } })
    await others.close()
  })

  /** Replays a delivery that an attacker has recorded. */
  async function send({ body, headers }: { body: Buffer; headers: Record<string, string> }) {
    const {
      'content-length': _length,
      connection: _connection,
      host: _host,
      ...eventHeaders
    } = headers
    const answer = await fetch(stock.url, { method: 'POST', headers: eventHeaders, body })
    return answer.status
  }

  test('no delivery is lost while the secret is rotated', async () => {
    const next = `zwischen uns, von nun an, ${library}`
    const before = { accepted: stock.accepted.length, refused: stock.refused() }
    const deliver = async (count: number) => {
      await addTask(`${count} during the rotation`)
      await vi.waitFor(() => expect(stock.accepted).toHaveLength(before.accepted + count), {
        timeout: 60_000,
        interval: 20,
      })
    }
    const signsTwice = library !== '@octokit/webhooks-methods' // its header has room for the new signature only
    if (!signsTwice) stock.secrets.unshift(next)
    const overlap = { secret: next, overlap_hours: 1 }
    await api.done('POST', `/webhooks/${hook.id}/rotate_secret`, { json: overlap })
    await deliver(1)
    stock.secrets.splice(0, 2, next)
    await deliver(2)
    expect(stock.refused()).toBe(before.refused)
  })
})
