import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordScore } from '@reticle/kit/testing/scores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyJson, type ApiResponse, createApiClient } from '../support/client.ts'
import { dataDirectory, type Reticle, startReticle } from '../support/reticle.ts'
import { annotations } from './bad-input/annotations.ts'
import { http, rawHttp } from './bad-input/http.ts'
import { lists } from './bad-input/lists.ts'
import { objects } from './bad-input/objects.ts'
import { people } from './bad-input/people.ts'
import type { BadInputRow } from './bad-input/row.ts'
import { team } from './bad-input/team.ts'
import { uploads } from './bad-input/uploads.ts'
import { type BadInputWorld, makeWorld } from './bad-input/world.ts'

/**
 * The bad-input matrix sent to a whole installation: invalid input is refused with the documented error and has no
 * effect. Rows are data in `bad-input/`; those about deliveries are in `webhook-refusals.test.ts`. See
 * docs/spec/reliability.md#bad-input.
 */

const { path, remove } = dataDirectory()
let reticle: Reticle
let world: BadInputWorld
const statuses: number[] = []
beforeAll(async () => {
  reticle = await startReticle(path)
  world = await makeWorld(reticle)
}, 120_000)
afterAll(async () => {
  await reticle.stop()
  remove()
})

async function make({ call, as = 'anna', json, raw, headers }: BadInputRow): Promise<ApiResponse> {
  const [method = '', given = ''] = call.split(' ')
  const filled = given.replace(/\{(\w+)\}/g, (_, name) => String(world.ids[name]))
  const answer = await createApiClient(world.api).call(method, filled, {
    json: typeof json === 'function' ? json(world.ids) : json,
    raw: typeof raw === 'function' ? raw(world.ids) : raw,
    headers: { ...world.headers[as], ...headers },
  })
  statuses.push(answer.status)
  return answer
}

function assertAnswer(row: BadInputRow, answer: ApiResponse): void {
  expect(answer.status, answer.text.slice(0, 500)).toBe(row.status)
  expect(answer.headers.get('x-request-id')).toMatch(/^[\w-]{8,64}$/)
  if (row.status >= 400 && !row.call.startsWith('HEAD')) assertError(answer)
  if (row.field) expect(Object.keys(answer.body)).toContain(row.field)
  if (row.code) expect(answer.headers.get('x-error-code')).toBe(row.code)
  if (row.body) expect(answer.body).toMatchObject(row.body)
  for (const [name, value] of Object.entries(row.answers ?? {}))
    expect(answer.headers.get(name)).toContain(value)
}

/** An error is a detail with its code, a list of texts, or texts by field. See docs/spec/rest.md#errors. */
function assertError({ status, headers, body }: ApiResponse): void {
  expect(status).toBeLessThan(500)
  expect(headers.get('x-error-code')).toMatch(/^[a-z_]+$/)
  expect(headers.get('content-type')).toBe('application/vnd.service+json')
  const [code, request_id] = [headers.get('x-error-code'), headers.get('x-request-id')]
  if (typeof body?.detail === 'string') expect(body).toMatchObject({ code, request_id })
  else expect(isTexts(body), JSON.stringify(body)).toBe(true)
}

/** Whether a value consists of texts in lists, at any depth. */
function isTexts(body: AnyJson): boolean {
  if (Array.isArray(body)) return body.every((one) => typeof one === 'string' || isTexts(one))
  return typeof body === 'object' && body !== null && Object.values(body).every(isTexts)
}

const rows = [...http, ...people, ...objects, ...lists, ...team, ...uploads, ...annotations]
const titled = (some: BadInputRow[]) =>
  some.map((one) => [one.row, `${one.call.slice(0, 80)}: ${one.what}`, one] as const)
/** State of the world before the first row, which no refused call may change. */
let before: Promise<Record<string, string>> | undefined

describe('calls that must change nothing', () => {
  test.each(titled(rows.filter((one) => !one.changes)))('row %i, %s', async (_row, _what, row) => {
    before ??= world.look()
    const seen = await before
    assertAnswer(row, await make(row))
    const [, path] = row.call.split(' ')
    expect(seen).toMatchObject(await world.look(path))
  })

  test.each(rawHttp.map((one) => [one.row, one.what, one] as const))(
    'row %i, %s, as raw bytes',
    async (_row, _what, { bytes, status }) => {
      const answer = await sendRaw(
        bytes.replace('{credential}', `Authorization: ${world.headers.anna.authorization}`),
      )
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
      expect(answer.toLowerCase()).toContain('x-error-code: ')
    },
  )

  test('after all refused calls the state is unchanged, and no event was logged', async () => {
    expect(await world.look()).toEqual(await before)
    const name = 'the first that happens'
    await world.admin.done('POST', '/projects', { json: { name } })
    expect(await changesToldOf()).toEqual(['create:project'])
    expect(Object.getPrototypeOf({})).not.toHaveProperty('x')
  })
})

/** Sends bytes unchanged, and reads until the server closes the connection. */
async function sendRaw(bytes: string): Promise<string> {
  const socket = connect(Number(new URL(reticle.url).port), '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes, 'latin1')
  return text(socket)
}

const patienceMs = 20_000

/** Changes in the event log since the world was created, up to the creation of a new project. */
async function changesToldOf(): Promise<string[]> {
  const { admin, from } = world
  for (const until = Date.now() + patienceMs; Date.now() < until; await sleep(200)) {
    const started = await admin.done('POST', `/events/export?from=${encodeURIComponent(from)}`)
    const { result_url } = await admin.finished(started)
    const { bytes } = await admin.bytes(result_url)
    const scopes = bytes
      .toString()
      .split('\n')
      .map((line) => line.split(',')[0] ?? '')
    const changes = scopes.filter((scope) => /^(?:create|update|delete):/.test(scope))
    if (changes.includes('create:project')) return changes
  }
  throw new Error('the event log has no create:project event')
}

describe('calls that are allowed', () => {
  test.each(titled(rows.filter((one) => one.changes)))('row %i, %s', async (_row, _what, row) => {
    assertAnswer(row, await make(row))
  })
})

test('no call of the matrix was answered with a 5xx', () => {
  const broken = statuses.filter((status) => status >= 500).length
  const count = `${statuses.length} calls`
  recordScore({ id: 'T-IN-1', on: 'the matrix', count, seen: String(broken), holds: broken === 0 })
  expect(broken).toBe(0)
})

test('row 46, a deleted object cannot be deleted or changed', async () => {
  const { admin } = world
  const { id } = await admin.done('POST', '/projects', { json: { name: 'short' } })
  const status = async (method: string, json?: AnyJson) =>
    (await admin.call(method, `/projects/${id}`, { json })).status
  expect(await status('DELETE')).toBe(204)
  expect(await status('DELETE')).toBe(404)
  expect(await status('PATCH', { name: 'x' })).toBe(404)
})

test('row 103, one of 200 concurrent creations of the same slug succeeds', async () => {
  const anna = createApiClient(world.api, world.headers.anna.authorization)
  const json = { slug: 'wanted' }
  const found = () => anna.call('POST', '/organizations', { json })
  const answers = await Promise.all(Array.from({ length: 200 }, found))
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(199)
})

test('row 17, guesses of a password are limited', async () => {
  const guess = `Basic ${Buffer.from('guessed:x').toString('base64')}`
  const statuses: number[] = []
  for (let tries = 0; tries < 11; tries++) {
    const { status, headers } = await createApiClient(world.api, guess).call('GET', '/projects')
    statuses.push(status)
    if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  }
  expect(statuses).toEqual([...Array(10).fill(401), 429])
})

test('row 18, calls without credentials are limited', async () => {
  const about = () => createApiClient(world.api).call('GET', '/server/about')
  let answer = await about()
  for (let calls = 0; answer.status === 200 && calls < 300; calls++) answer = await about()
  expect(answer.status).toBe(429)
  const number = (name: string) => Number(answer.headers.get(name))
  expect([number('x-ratelimit-limit'), number('x-ratelimit-remaining')]).toEqual([100, 0])
  expect(number('retry-after')).toBeGreaterThan(0)
  expect(number('x-ratelimit-reset')).toBeGreaterThan(Date.parse(world.from) / 1000)
  expect(answer.body.code).toBe('throttled')
})
