import { isDeepStrictEqual } from 'node:util'
import { isFullRun } from '@reticle/kit/testing/config'
import { recordScore } from '@reticle/kit/testing/scores'
import { expect, test } from 'vitest'
import { type AnyJson, type ApiResponse, createApiClient } from '../support/client.ts'
import { openRandom, type Random } from '../support/random.ts'
import { useOwnServer } from '../support/test-server.ts'
import { asCurl, type FuzzCall, openCalls } from './openapi/calls.ts'
import { type DocumentOperation, readDocument } from './openapi/document.ts'
import { type FuzzResults, openFuzzResults } from './openapi/fuzz-results.ts'
import { forgetObject, rememberObjects } from './openapi/known-objects.ts'
import { findMismatch } from './openapi/mismatch.ts'
import { type FuzzWorld, makeWorld } from './openapi/world.ts'

/**
 * Valid and invalid calls described by `docs/openapi.json`, by callers with and without rights (T-IN-1): every answer
 * conforms to the document, none is a server failure, and a refusal changes nothing. `RETICLE_TEST_SEED` repeats a run.
 */
const seed = Number(process.env.RETICLE_TEST_SEED ?? 20_260_401)
const calls = Number(process.env.RETICLE_TEST_CALLS ?? (isFullRun() ? 50_000 : 300))
/** Each lane has its own users and objects, and makes one call after the other. */
const lanes = 4
/** A run stops after this number of different failures. */
const mostFailures = 50

/** Rate limits are off, because all anonymous calls come from one address. */
const reticle = useOwnServer({
  RETICLE_GATEWAY_RATE_ANONYMOUS: '0',
  RETICLE_GATEWAY_RATE_AUTH: '0',
})
const document = readDocument()

test(`${calls} calls conform to the OpenAPI document`, {
  timeout: isFullRun() ? 14_400_000 : 600_000,
}, async () => {
  console.log(`${calls} calls with RETICLE_TEST_SEED=${seed}`)
  const results = openFuzzResults()
  const lane = (number: number) => fuzz(openRandom(seed + number), calls / lanes, results)
  try {
    await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)))
  } finally {
    console.log(results.summary())
    for (const failure of results.failures.values()) console.error(failure)
  }
  const failures = [...results.failures.keys()]
  recordScore({
    ...{ id: 'T-IN-1', on: 'what docs/openapi.json describes', seed },
    ...{ count: `${calls} calls`, seen: String(results.broken()), holds: failures.length === 0 },
  })
  expect(failures).toEqual([])
  if (calls >= lanes * document.operations.length)
    expect(results.neverCalled(document.operations)).toEqual([])
  expect(results.share((status) => status < 400)).toBeGreaterThan(0.2) // enough calls must succeed
  expect(results.share((status) => status >= 400)).toBeGreaterThan(0.2)
})

async function fuzz(random: Random, times: number, results: FuzzResults): Promise<void> {
  let world = await makeWorld(reticle)
  let nextCall = openCalls(random, document, world)
  let round: DocumentOperation[] = []
  for (let nth = 1; nth <= times && results.failures.size < mostFailures; nth++) {
    if (round.length === 0) round = shuffled(random, document.operations)
    const [operation] = round.splice(0, 1)
    if (!operation) throw new Error('nothing is described')
    const call = nextCall(operation)
    const { answer, wrong } = await make(call, world, random)
    if (wrong !== undefined) results.fail(call, wrong, seenOf(call, nth, answer))
    results.count(call, answer.status)
    rememberObjects(world.own, call, answer)
    if (await isAccountGone(call, answer, world)) world = await makeWorld(reticle)
    else if (forgetObject(world.own, call, answer)) world = await world.renew()
    else continue
    nextCall = openCalls(random, document, world)
  }
}

/** Returns every operation once, in random order. */
function shuffled(random: Random, operations: readonly DocumentOperation[]): DocumentOperation[] {
  const placed = operations.map((operation) => ({ operation, at: random.next() }))
  return placed.sort((a, b) => a.at - b.at).map(({ operation }) => operation)
}

async function isAccountGone(
  { as }: FuzzCall,
  { status }: ApiResponse,
  { credentials }: FuzzWorld,
) {
  if (status !== 401 || as === 'anonymous') return false
  const headers = credentials[as]
  const self = await createApiClient(`${reticle.url}/api`).call('GET', '/users/self', { headers })
  return self.status !== 200
}

/** Makes a call and judges its answer; sometimes checks that a refusal changed nothing. */
async function make(call: FuzzCall, world: FuzzWorld, random: Random) {
  const before = random.isTrue(0.2) ? await look(call, world) : undefined
  const answer = await send(call)
  const wrong = findMismatch(call, answer, document)
  if (wrong !== undefined || before === undefined || answer.status < 400) return { answer, wrong }
  const after = await look(call, world)
  const isSame = after === undefined || isDeepStrictEqual(after, before)
  const results = `a refusal changed something\n${JSON.stringify(before)}\n${JSON.stringify(after)}`
  return { answer, wrong: isSame ? undefined : results }
}

function send({ method, url, headers, body }: FuzzCall): Promise<ApiResponse> {
  const sent = body instanceof FormData ? { form: body } : { raw: body }
  return createApiClient(`${reticle.url}/api`).call(method, url, { headers, ...sent })
}

function seenOf(call: FuzzCall, nth: number, { status, headers, text }: ApiResponse): string {
  return [
    `call ${nth} of a lane with RETICLE_TEST_SEED=${seed}, spoilt: ${call.spoilt.join(', ')}`,
    asCurl(`${reticle.url}/api`, call),
    ...[status, ...[...headers].map((pair) => pair.join(': ')), text.slice(0, 3000), ''],
  ].join('\n')
}

/**
 * Reads the target of a change as its owner, if its path has a JSON read. Undefined while background work may change it
 * too.
 */
async function look({ operation, url }: FuzzCall, { credentials }: FuzzWorld): Promise<AnyJson> {
  const { path, method } = operation
  const read = document.operations.find((one) => one.path === path && one.method === 'GET')
  if (method === 'GET' || !read?.answers['200']?.['application/json']) return undefined
  const [place = ''] = url.split('?', 1)
  const { call } = createApiClient(`${reticle.url}/api`)
  const get = (what: string) => call('GET', what, { headers: credentials.owner })
  const [found, work] = [await get(place), await get('/requests?page_size=100')]
  const isBusy = work.body?.results?.some(({ status }: AnyJson) => !isOver(status)) ?? true
  if (found.status !== 200 || isBusy) return undefined
  return JSON.parse(found.text, (key, value) => (passing.has(key) ? undefined : value))
}

const isOver = (status: string) => status === 'finished' || status === 'failed'
/** Fields that change later by events and calls of others, or by reading a file (its expiry). */
const passing = new Set([
  'expires_date',
  ...['updated_date', 'last_login', 'last_used_date', 'last_status', 'last_delivery_date'],
])
