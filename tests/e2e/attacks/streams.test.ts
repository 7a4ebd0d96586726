import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { expect, test } from 'vitest'
import { taskWithMedia } from '../../support/factories.ts'
import { basicOf, createUserFactory, type RegisteredUser } from '../../support/people.ts'
import { useTestServer } from '../../support/test-server.ts'

/** A user has at most 20 event streams, over all credentials, organizations and mounts; other users are not affected. */

const most = 20
const reticle = useTestServer()
const { newPerson } = createUserFactory(() => reticle)

const opened: ClientRequest[] = []

/** The status of a stream, which stays open. */
function open(authorization: string, path = '/api/requests/stream'): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, reticle.url), { agent: false, headers: { authorization } })
    opened.push(sent)
    sent.once('response', (answer: IncomingMessage) => {
      answer.once('error', () => undefined).resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.once('error', reject).end()
  })
}

function closeAll(): void {
  for (const sent of opened.splice(0)) sent.once('error', () => undefined).destroy()
}

const statusesOf = async (count: number, openOne: (index: number) => Promise<number>) => {
  const statuses: number[] = []
  for (let index = 0; index < count; index += 1) statuses.push(await openOne(index))
  return statuses
}

/** Statuses of one stream more than a user may have. */
const atTheLimit = [...Array.from({ length: most }, () => 200), 429]

async function tokenOf({ api }: RegisteredUser): Promise<string> {
  const { value } = await api.done('POST', '/auth/access_tokens', { json: { name: 'a' } })
  return `Bearer ${value}`
}

test('streams of one user count together over credentials, organizations and mounts', async () => {
  const person = await newPerson()
  const other = await newPerson()
  const slug = `s${process.pid}x${Date.now() % 100_000}`
  await person.api.done('POST', '/organizations', { json: { slug } })
  const basic = basicOf(person.username)
  const bearer = await tokenOf(person)
  const ways = [
    () => open(basic),
    () => open(bearer),
    () => open(basic, `/api/requests/stream?org=${slug}`),
    () => open(bearer, '/as/cvat/api/requests/stream'),
  ]
  expect(
    await statusesOf(most + 1, (index) => ways[index % ways.length]?.() ?? open(basic)),
  ).toEqual(atTheLimit)
  expect(await open(basicOf(other.username))).toBe(200)
  closeAll()
  await expect.poll(() => open(basic)).toBe(200)
  closeAll()
})

test('streams of one request count as well', async () => {
  const person = await newPerson()
  const task = await taskWithMedia(person.api)
  const started = await person.api.done(
    'POST',
    `/tasks/${task.id}/dataset/export?format=COCO%201.0`,
  )
  const one = `/api/requests/${encodeURIComponent(started.rq_id)}/stream`
  const basic = basicOf(person.username)
  for (let count = 0; count < most; count += 1) expect(await open(basic)).toBe(200)
  expect(await open(basic, one)).toBe(429)
  closeAll()
})

test('streams that their clients close at once free their slots', async () => {
  const person = await newPerson()
  const basic = basicOf(person.username)
  for (let count = 0; count < 5 * most; count += 1) {
    const sent = request(new URL('/api/requests/stream', reticle.url), {
      agent: false,
      headers: { authorization: basic },
    })
    sent.once('error', () => undefined).end()
    await new Promise((done) => sent.once('socket', (socket) => socket.once('connect', done)))
    sent.destroy()
  }
  await expect.poll(() => open(basic)).toBe(200)
  closeAll()
})

test('a user at the limit of streams can still follow requests by calls that wait', async () => {
  const person = await newPerson()
  const basic = basicOf(person.username)
  for (let count = 0; count < most; count += 1) expect(await open(basic)).toBe(200)
  const task = await taskWithMedia(person.api) // waits for the request that attaches the media
  expect(task.size).toBe(4)
  closeAll()
})
