import { addPerson } from '@reticle/standalone/administrator'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { type AnyJson, type ApiClient, createApiClient } from '../../support/client.ts'
import { type ServerUnderTest, shareReticle } from '../../support/reticle.ts'

/** Events of clients and their export. See docs/spec/workspace.md#client-events. */

const people = ['teller', 'member', 'leader'].map((username) => ({
  username,
  password: `a-password-of-${username}`,
  email: `${username}@example.org`,
  role: 'user' as const,
}))
let reticle: ServerUnderTest
const apis: ApiClient[] = []
const as = (name: 'teller' | 'member' | 'leader') => {
  const api = apis[people.findIndex(({ username }) => username === name)]
  if (!api) throw new Error(`there is no ${name}`)
  return api
}

beforeAll(async () => {
  reticle = await shareReticle()
  for (const person of people) {
    await addPerson(await reticle.people(), person)
    const basic = Buffer.from(`${person.username}:${person.password}`).toString('base64')
    apis.push(createApiClient(`${reticle.url}/api`, `Basic ${basic}`))
  }
})

/** Rows of an export, keyed by the names of its columns. */
async function exported(api: ApiClient, query = ''): Promise<AnyJson[]> {
  const { result_url } = await api.finished(await api.done('POST', `/events/export${query}`))
  const { status, headers, bytes } = await api.bytes(result_url)
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv'])
  const [names = '', ...lines] = bytes.toString().trimEnd().split('\n')
  const columns = names.split(',')
  return lines.map((line) => {
    const fields = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? []
    return Object.fromEntries(
      columns.map((column, index) => [column, (fields[index] ?? '').replace(/,$/, '')]),
    )
  })
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
const sendEvents = (api: ApiClient, json: unknown) => api.call('POST', '/events', { json })

describe('client events', () => {
  test('the clock of a client is corrected by the time that it sends', async () => {
    const hour = 3600
    const before = Date.now()
    const answer = await sendEvents(as('teller'), {
      timestamp: ago(hour),
      events: [
        { scope: 'zoom:image', timestamp: ago(hour + 30), task_id: 1001 },
        { scope: 'fit:image', timestamp: ago(hour), task_id: 1001 },
      ],
    })
    expect(answer.status).toBe(201)
    const [first, second] = answer.body.events.map((one: AnyJson) => Date.parse(one.timestamp))
    expect(Math.abs(second - first - 30_000)).toBeLessThanOrEqual(1000)
    expect(second).toBeGreaterThanOrEqual(before - 1000)
    const rows = await exported(as('teller'), '?task_id=1001')
    const times = rows.filter((row) => row.source === 'client').map((row) => row.timestamp)
    expect(times).toEqual(answer.body.events.map((one: AnyJson) => one.timestamp))
  })

  test.each(['create:task', 'send:working_time', 'login:user', 'nosuch'])(
    'clients may not send events of scope %s, and no event of the call is kept',
    async (scope) => {
      const timestamp = ago(0)
      const events = [
        { scope: 'debug:info', timestamp, task_id: 1002 },
        { scope, timestamp, task_id: 1002 },
      ]
      const { status, body } = await sendEvents(as('teller'), { timestamp, events })
      expect([status, Object.keys(body)]).toEqual([400, ['scope']])
      expect(await exported(as('teller'), '?task_id=1002')).toEqual([])
    },
  )

  test('a payload must be JSON', async () => {
    const timestamp = ago(0)
    const events = [{ scope: 'debug:info', timestamp, payload: '{' }]
    const { status, body } = await sendEvents(as('teller'), { timestamp, events })
    expect([status, Object.keys(body)]).toEqual([400, ['payload']])
  })

  test('a gap of more than 100 s does not count as working time', async () => {
    const at = (second: number) => new Date(Date.UTC(2026, 2, 1) + second * 1000).toISOString()
    const event = (second: number) => ({
      ...{ scope: 'user:activity', timestamp: at(second) },
      ...{ project_id: 71, task_id: 1003, job_id: 31 },
    })
    const previous_event = { ...event(0), scope: 'draw:object' }
    const events = [event(100), event(201), event(211)]
    await sendEvents(as('teller'), { timestamp: at(211), previous_event, events })
    const rows = await exported(as('teller'), '?task_id=1003')
    expect(rows).toEqual([
      expect.objectContaining({
        ...{ scope: 'send:working_time', source: 'server', duration: '110000' },
        ...{ project_id: '71', task_id: '1003', job_id: '31', user_name: 'teller' },
      }),
    ])
  })

  test('in the personal workspace users export only their own events, and an administrator exports all', async () => {
    const timestamp = ago(0)
    for (const name of ['teller', 'member'] as const)
      await sendEvents(as(name), {
        timestamp,
        events: [{ scope: 'copy:object', timestamp, task_id: 1004 }],
      })
    const of = async (api: ApiClient, query = '') =>
      (await exported(api, `?task_id=1004${query}`)).map((row) => row.user_name)
    expect(await of(as('teller'))).toEqual(['teller'])
    expect(await of(as('member'))).toEqual(['member'])
    expect(await of(reticle.admin)).toEqual(['teller', 'member'])
    const { id } = await as('teller').done('GET', '/users/self')
    expect(await of(reticle.admin, `&user_id=${id}`)).toEqual(['teller'])
    expect(await of(as('teller'), `&user_id=${id}`)).toEqual(['teller'])
    const foreign = await as('member').call('POST', `/events/export?user_id=${id}`)
    expect(foreign.status).toBe(403)
  })

  test("the export of a member contains the member's events in an organization", async () => {
    const leader = as('leader')
    const { id, slug } = await leader.done('POST', '/organizations', { json: { slug: 'logged' } })
    const json = { email: 'member@example.org', role: 'worker' }
    await leader.done('POST', `/invitations?org=${slug}`, { json })
    const { results } = await as('member').done('GET', `/invitations?org=${slug}`)
    if (results.length > 0 && !results[0].accepted)
      await as('member').done('POST', `/invitations/${results[0].key}/accept`)
    const timestamp = ago(0)
    const events = [{ scope: 'paste:object', timestamp, task_id: 1005 }]
    const recorded = await as('member').call('POST', `/events?org_id=${id}`, {
      json: { timestamp, events },
    })
    expect(recorded.status).toBe(201)
    const rows = await exported(as('member'), '?task_id=1005')
    expect(rows.map((row) => row.scope)).toEqual(['paste:object'])
    const stranger = await as('teller').call('POST', `/events/export?org_id=${id}`)
    expect(stranger.status).toBe(404)
  })

  test('exceptions reported by clients are kept but not exported', async () => {
    const timestamp = ago(0)
    const events = [{ scope: 'send:exception', timestamp, task_id: 1006, payload: '{}' }]
    expect((await sendEvents(as('teller'), { timestamp, events })).status).toBe(201)
    expect(await exported(as('teller'), '?task_id=1006')).toEqual([])
  })

  test.each([
    ['?from=2026-03-02T00:00:00Z&to=2026-03-01T00:00:00Z', 'from'],
    ['?from=yesterday', 'from'],
    ['?to=2026-13-01', 'to'],
  ])('the time range %s is refused', async (query, name) => {
    const { status, body } = await as('teller').call('POST', `/events/export${query}`)
    expect([status, Object.keys(body)]).toEqual([400, [name]])
  })

  test('the time range includes both bounds, and the export contains events of the server', async () => {
    const name = `logged ${Date.now()}`
    const made = await as('teller').done('POST', '/projects', { json: { name } })
    await as('teller').done('PATCH', `/projects/${made.id}`, { json: { status: 'completed' } })
    const query = `?project_id=${made.id}&from=2026-03-01&to=2126-03-01`
    await vi.waitFor(
      async () => {
        const rows = await exported(as('teller'), query)
        expect(rows.map((row) => [row.scope, row.obj_name, row.obj_val])).toEqual([
          ['create:project', '', ''],
          ['update:project', 'status', 'completed'],
        ])
      },
      { timeout: 60_000, interval: 200 },
    )
    const past = `?project_id=${made.id}&from=2025-03-01&to=2025-03-02`
    expect(await exported(as('teller'), past)).toEqual([])
  })
})
