import { setTimeout as sleep } from 'node:timers/promises'
import { tables } from '@reticle/contracts'
import fastify from 'fastify'
import { request } from 'undici'
import { beforeEach, expect, test } from 'vitest'
import { anna } from '../../testing/services.ts'
import { callsAtOnce, createTurnCheck } from './user-turns.ts'

/** T-TEN-2: a user who floods the gateway only delays their own calls. */

/** Number of started calls, and callbacks that complete the pending ones. */
let begun = 0
let answers: (() => void)[] = []
beforeEach(() => {
  begun = 0
  answers = []
})

/** Starts a server whose calls wait until the test completes them, with the given duration of turns. */
async function serve({ turnMs, user_id = 3 }: { turnMs: number; user_id?: number }) {
  const app = fastify({ forceCloseConnections: true })
  const check = createTurnCheck(turnMs)
  const { getHealth, getTask } = { ...tables.server, ...tables.tasks }
  app.addHook('onRequest', async (call, reply) => {
    const { as = user_id } = Object(call.query)
    call.principal = { ...anna, user_id: Number(as) }
    await check(call, reply, call.url.startsWith('/free') ? getHealth : getTask)
    begun++
  })
  app.get('/quick', () => 'done')
  app.get('/free', () => 'done')
  app.get('/hangs', () => new Promise((resolve) => answers.push(() => resolve('done'))))
  await app.listen({ port: 0, host: '127.0.0.1' })
  const url = app.listeningOrigin
  return {
    sendCall: async (path: string, signal?: AbortSignal) => {
      const { statusCode, body } = await request(url + path, { signal })
      await body.dump()
      return statusCode
    },
    [Symbol.asyncDispose]: () => app.close(),
  }
}

const times = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make)
const never = 600_000

test('only a few calls of a user run at once, and the others follow one by one', async () => {
  await using server = await serve({ turnMs: never })
  const calls = times(7, () => server.sendCall('/hangs'))
  for (let answered = 0; answered < calls.length; answered++) {
    const expected = Math.min(answered + callsAtOnce, calls.length)
    await expect.poll(() => begun).toBe(expected)
    await sleep(20)
    expect(begun).toBe(expected)
    await expect.poll(() => answers.length).toBeGreaterThan(0)
    answers.shift()?.()
  }
  expect(await Promise.all(calls)).toEqual(times(calls.length, () => 200))
})

test('neither other users nor unlimited calls wait for them', async () => {
  await using server = await serve({ turnMs: never })
  const slow = times(callsAtOnce, () => server.sendCall('/hangs'))
  await expect.poll(() => answers.length).toBe(callsAtOnce)
  const calls = [...slow, server.sendCall('/quick')]
  expect(await server.sendCall('/quick?as=4')).toBe(200)
  expect(await server.sendCall('/free')).toBe(200)
  expect(answers.length).toBe(callsAtOnce)
  for (const answer of answers) answer()
  expect(await Promise.all(calls)).toEqual(times(callsAtOnce + 1, () => 200))
})

test('calls of disconnected clients release their turn', async () => {
  await using server = await serve({ turnMs: never })
  const held = times(callsAtOnce, () => server.sendCall('/hangs'))
  await expect.poll(() => begun).toBe(callsAtOnce)
  const leaving = new AbortController()
  const gone = times(6, () => server.sendCall('/hangs', leaving.signal))
  await sleep(50)
  leaving.abort()
  await Promise.allSettled(gone)
  const later = times(6, () => server.sendCall('/quick'))
  for (const answer of answers.splice(0)) answer()
  expect(await Promise.all([...held, ...later])).toEqual(times(callsAtOnce + 6, () => 200))
})

test('a call that takes long does not delay the others', async () => {
  await using server = await serve({ turnMs: 5 })
  const slow = times(callsAtOnce, () => server.sendCall('/hangs'))
  await expect.poll(() => answers.length).toBe(callsAtOnce)
  expect(await server.sendCall('/quick')).toBe(200)
  for (const answer of answers) answer()
  await Promise.all(slow)
})
