import { recordScore } from '@reticle/kit/testing/scores'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { atOnce } from '../support/at-once.ts'
import {
  type AnyJson,
  type ApiClient,
  type ApiResponse,
  createApiClient,
} from '../support/client.ts'
import { type ServerUnderTest, shareReticle } from '../support/reticle.ts'
import {
  buildBodyCalls,
  buildCalls,
  type Foreign,
  type IsolationCall,
  requestOf,
} from './isolation/calls.ts'
import {
  addObjects,
  addTenant,
  addUser,
  closeBuckets,
  expiredToken,
  numbersIn,
  skipIds,
  type Tenant,
} from './isolation/tenants.ts'

/**
 * T-TEN-1: two organizations with the same contents and a personal workspace. Members of the second one, users of none
 * and anonymous callers request objects of the first by every route and in every way in which a call can name them. See
 * docs/spec/reliability.md#tenancy.
 */

let reticle: ServerUnderTest
let own: Tenant
let foreign: Foreign[]
/** Names and ids of the first organization and of the personal workspace. */
let secret: RegExp
let before: AnyJson
const actors: Record<string, ApiClient> = {}
let callCount = 0
let seenForeign = 0

beforeAll(async () => {
  reticle = await shareReticle()
  own = await addTenant(reticle, 'ours')
  await addActors()
  const least = await skipIds(reticle)
  const acme = await addTenant(reticle, 'canary')
  const alone = await addUser(reticle, 'canary-alone')
  const personal = await addObjects(alone, 'canary-own', '?org=')
  const self = await alone.done('GET', '/users/self')
  foreign = [
    acme,
    {
      ...{ slug: 'canary', username: 'canary-alone' },
      ids: { ...acme.ids, ...personal.ids, users: self.id },
    },
  ]
  const ids = numbersIn([acme.responses, personal.responses, self], least)
  secret = new RegExp(
    `canary|${acme.ids.invitations}|\\b(?:${[...new Set(ids)].join('|')})\\b`,
    'i',
  )
  before = await standOf([acme.owner, alone])
  standers.push(acme.owner, alone)
}, 120_000)
afterAll(async () => {
  console.log(`isolation: ${callCount} calls`)
  await closeBuckets()
})
const standers: ApiClient[] = []

async function addActors(): Promise<void> {
  actors.stranger = await addUser(reticle, 'isolated-stranger')
  actors['owner of the other'] = own.owner
  for (const [role, global] of [['maintainer', 'user'] as const, ['worker', 'worker'] as const]) {
    actors[`${role} of the other`] = await addUser(reticle, `ours-${role}`, global)
    const json = { email: `ours-${role}@example.org`, role }
    await own.owner.done('POST', '/invitations?org=ours', { json })
  }
  actors['an expired token'] = await expiredToken(reticle, own.owner)
  actors.nobody = createApiClient(`${reticle.url}/api`)
}

const objects = ['projects', 'tasks', 'jobs', 'labels', 'issues', 'comments', 'cloudstorages']
const lists = [...objects, 'organizations']
const counted = ['webhooks', 'memberships', 'invitations', 'requests', 'auth/access_tokens']

/** State of the first organization and of the personal workspace; for data that changes by itself only the number. */
async function standOf(people: readonly ApiClient[]): Promise<AnyJson> {
  const stand: AnyJson[] = []
  for (const api of people) {
    for (const list of lists) stand.push(await api.done('GET', `/${list}?page_size=all`))
    for (const list of counted) stand.push((await api.done('GET', `/${list}?page_size=all`)).count)
    for (const { id } of (await api.done('GET', '/tasks?page_size=all')).results)
      stand.push(await api.done('GET', `/tasks/${id}/annotations/`))
  }
  return stand
}

/** Returns the fault of an answer, or undefined if the answer leaks nothing and is as expected. */
function wrongAbout(
  call: IsolationCall,
  isKnown: boolean,
  answer: ApiResponse,
): string | undefined {
  const { operation, query = '' } = call
  const { status } = answer
  const text = withoutSent(call, `${answer.text} ${answer.headers.get('location') ?? ''}`)
  const describeFault = (what: string) =>
    `${operation.method} ${call.path}${query}: ${what}: ${status} ${answer.text.slice(0, 200)}`
  if (status >= 500) return describeFault('a server error')
  if (secret.test(text)) return describeFault('the answer contains foreign data')
  if (!isKnown) return status === 401 ? undefined : describeFault('not 401')
  if (status === 429 && operation.limit === 'hourly') return undefined
  return isAsExpected(call, answer) ? undefined : describeFault(`not ${call.answer}`)
}

function isAsExpected({ answer: expected }: IsolationCall, { status, body }: ApiResponse): boolean {
  if (expected === 'refused') return status === 403 || status === 404
  if (expected === 'not done') return status >= 400
  if (expected === 'none') return status !== 200 || body.count === 0
  return expected === undefined || status === expected
}

/** Removes values that the caller sent, because an error may repeat them. */
function withoutSent({ path, query = '', json, headers }: IsolationCall, text: string): string {
  const sent = decodeURIComponent(
    `${path} ${query} ${JSON.stringify(json ?? '')} ${Object.values(headers ?? {})}`,
  )
  const words = sent.match(/[\w-]{5,}/g) ?? []
  return words
    .filter((one) => secret.test(one))
    .sort((one, other) => other.length - one.length)
    .reduce((rest, one) => rest.replaceAll(one, ''), text)
}

const names = ['stranger', 'worker', 'maintainer', 'owner'].map((one) =>
  one === 'stranger' ? one : `${one} of the other`,
)

describe('requests by every route', () => {
  test.each([
    ...names.map((name) => [name, true] as const),
    ['an expired token', false] as const,
    ['nobody', false] as const,
  ])(
    '%s cannot read or change objects of others',
    async (name, isKnown) => {
      const api = actors[name] ?? own.owner
      const calls = [...buildCalls(foreign, own), ...buildBodyCalls(foreign, own)]
      const wrong = await atOnce(8, calls, async (call) => {
        const { operation, query = '' } = call
        const address = `${call.path}${query === '?' ? '' : query}`
        const answer = await api.call(String(operation.method), address, await requestOf(call))
        return wrongAbout(call, isKnown, answer)
      })
      callCount += calls.length
      seenForeign += wrong.filter(Boolean).length
      expect(wrong.filter(Boolean)).toEqual([])
    },
    60_000,
  )
})

test('the owners can see the names and ids that are hidden from others', async () => {
  for (const list of ['projects', 'tasks', 'labels', 'issues', 'webhooks', 'requests'])
    for (const api of standers) expect((await api.call('GET', `/${list}`)).text).toMatch(secret)
})

test('after at least 5,000 calls nothing has changed', async () => {
  recordScore({
    ...{ id: 'T-TEN-1', on: 'every route', count: `${callCount} calls` },
    ...{ seen: String(seenForeign), holds: seenForeign === 0 },
  })
  expect(await standOf(standers)).toEqual(before)
  expect(callCount).toBeGreaterThanOrEqual(5000)
})
