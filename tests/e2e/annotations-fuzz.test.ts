import { isFullRun } from '@reticle/kit/testing/config'
import { recordScore } from '@reticle/kit/testing/scores'
import { expect, test } from 'vitest'
import {
  type Annotated,
  type AnnotationSets,
  annotatedTask,
  tagOf,
} from '../support/annotations.ts'
import type { AnyJson, ApiResponse } from '../support/client.ts'
import { createUserFactory } from '../support/people.ts'
import { openRandom, type Random } from '../support/random.ts'
import { useTestServer } from '../support/test-server.ts'
import { type FuzzedCall, nextCall } from './fuzz/calls.ts'
import { openObjects } from './fuzz/objects.ts'

/**
 * Bodies of annotations that are invalid in some way, or valid by chance: the answer is never a 5xx, a refusal changes
 * nothing, and an accepted body is stored. `RETICLE_TEST_SEED` repeats a run; a failing call is printed whole.
 */
const seed = Number(process.env.RETICLE_TEST_SEED ?? 20_260_301)
const calls = isFullRun() ? 50_000 : 400
/**
 * Each lane is a user with their own task who makes one call after the other, because calls of one user are serialized.
 */
const lanes = 4

const reticle = useTestServer()
const { newPerson } = createUserFactory(() => reticle)

/** Known state of an annotation set. */
interface Known {
  set: AnyJson
  text: string
  tag: string
}

test(`${calls} bodies are stored or refused without effect`, {
  timeout: isFullRun() ? 7_200_000 : 240_000,
}, async () => {
  console.log(`${calls} bodies with RETICLE_TEST_SEED=${seed}`)
  const counts = new Map<string, number>()
  const count = (name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  await Promise.all(
    Array.from({ length: lanes }, async (_, lane) => {
      const { api } = await newPerson()
      const world = await annotatedTask(api)
      await fuzz(world, openRandom(seed + lane), calls / lanes, count)
    }),
  )
  console.log(Object.fromEntries([...counts].sort()))
  const broken = [...counts].reduce((sum, [status, many]) => sum + (status >= '500' ? many : 0), 0)
  const seen = { seen: String(broken), holds: broken === 0 }
  recordScore({ id: 'T-IN-1', on: 'bodies of annotations', seed, count: `${calls} calls`, ...seen })
  const taken = counts.get('200') ?? 0
  expect(taken).toBeGreaterThan(calls / 10) // enough bodies must be accepted for the test to mean anything
  expect(calls - taken).toBeGreaterThan(calls / 4)
})

/** Bytes are compared only this often, and entity tags otherwise. */
const looksEvery = 50

async function fuzz(
  { first, second, whole, idOf }: Annotated,
  random: Random,
  times: number,
  count: (name: string) => void,
): Promise<void> {
  const grounds = [
    { sets: first, objects: openObjects(random, { idOf, first: 0, last: 4 }) },
    { sets: second, objects: openObjects(random, { idOf, first: 5, last: 9 }) },
    { sets: whole, objects: openObjects(random, { idOf, first: 0, last: 9 }) },
  ]
  const seen = new Map<AnnotationSets, Known>()
  /** Returns the known set, read again only after a write was accepted. */
  const look = async (sets: AnnotationSets): Promise<Known> => {
    const known = seen.get(sets) ?? (await knownOf(sets))
    seen.set(sets, known)
    return known
  }
  for (let nth = 1; nth <= times; nth++) {
    const { sets, objects } = random.pick(grounds)
    const [known, task] = [await look(sets), await look(whole)]
    const call = nextCall(random, objects, known)
    try {
      const answer = await make(sets, call)
      count(String(answer.status))
      if (isTaken(answer)) {
        seen.clear()
        expectTaken(sets, call, answer, await look(sets))
      } else {
        expectRefusal(answer)
        await expectSame(whole, task, nth % looksEvery === 0)
        if (nth % looksEvery === 0) await expectSame(sets, known, true)
      }
    } catch (error) {
      throw new Error(`call ${nth} of a lane: ${shown(sets, call)}`, { cause: error })
    }
  }
}

async function knownOf(sets: AnnotationSets): Promise<Known> {
  const answer = await sets.get()
  expect(answer.status, answer.text.slice(0, 500)).toBe(200)
  return { set: JSON.parse(answer.text), text: answer.text, tag: tagOf(answer) }
}

const make = (sets: AnnotationSets, { method, query, headers, body }: FuzzedCall) =>
  sets.call(method, { raw: body, headers }, query)

/** A replayed answer does not count, because it reports an earlier write. */
const isTaken = ({ status, headers }: ApiResponse) =>
  status < 300 && headers.get('idempotency-replayed') === null

function expectRefusal({ status, headers, text, body }: ApiResponse): void {
  expect(status, text.slice(0, 500)).toBeLessThan(500)
  expect([401, 403, 405, 429], text.slice(0, 500)).not.toContain(status)
  if (status < 300) return
  expect(headers.get('x-error-code')).toMatch(/^[a-z_]+$/)
  expect(body, text.slice(0, 500)).toBeTypeOf('object')
}

async function expectSame({ get }: AnnotationSets, { tag, text }: Known, byBytes: boolean) {
  if (!byBytes) return expect((await get({ 'if-none-match': tag })).status).toBe(304)
  const answer = await get()
  expect([tagOf(answer), answer.text]).toEqual([tag, text])
}

/**
 * Compares an accepted answer with a read; deleted objects must be missing. Tracks of a task may be cut at the borders
 * of its jobs.
 */
function expectTaken(
  { url }: AnnotationSets,
  { method, query }: FuzzedCall,
  answer: ApiResponse,
  { set, tag }: Known,
): void {
  expect(answer.body, answer.text.slice(0, 500)).toBeTypeOf('object')
  expect(tagOf(answer)).toBe(tag)
  const isTask = url.startsWith('/tasks')
  for (const kind of ['tags', 'shapes', 'tracks']) {
    const stored = new Map<number, AnyJson>(set[kind].map((one: AnyJson) => [one.id, one]))
    for (const one of answer.body[kind]) {
      const found = stored.get(one.id)
      if (query === '?action=delete') expect(found).toBeUndefined()
      else if (isTask && kind === 'tracks') expect(found?.label_id).toBe(one.label_id)
      else expect(found).toEqual(one)
    }
    if (method === 'PUT') expect(set[kind].length).toBe(answer.body[kind].length)
  }
}

/** Prints the call so that it can be repeated. */
const shown = ({ url }: AnnotationSets, { method, query, headers, body }: FuzzedCall) =>
  JSON.stringify({
    ...{ method, path: `${url}${query}`, headers },
    text: Buffer.from(body).toString(),
    base64: Buffer.from(body).toString('base64'),
  })
