import { once } from 'node:events'
import { connect } from 'node:net'
import pg from 'pg'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  type Annotated,
  type AnnotationSets,
  annotatedTask,
  emptySet,
  refusalOf,
  sharedTask,
  tagOf,
} from '../../support/annotations.ts'
import type { AnyJson, ApiResponse } from '../../support/client.ts'
import { basic } from '../../support/reticle.ts'
import { useTestServer } from '../../support/test-server.ts'

/** Concurrent writes of annotations, calls that are repeated under an idempotency key, and truncated bodies. */

const reticle = useTestServer()
let locked: Promise<ApiResponse>
beforeAll(async () => {
  locked = writeUnderLock(await annotatedTask(reticle.admin)) // takes ten seconds
  locked.catch(() => undefined)
})
const world = sharedTask(reticle)
const job = world.first
const { box } = world

const boxes = (count: number, more: AnyJson = {}) => Array.from({ length: count }, () => box(more))
/** The entity tag that follows a tag of a job. */
const next = (tag: string) => tag.replace(/\d+(?="$)/, (revision) => String(Number(revision) + 1))

/** Returns the answer to a write while another transaction holds the lock of the job for longer than a write waits. */
async function writeUnderLock({ first, jobs, idOf }: Annotated): Promise<ApiResponse> {
  const tags = [{ frame: 0, label_id: idOf('plain') }]
  await first.put({ tags }) // the service has a row of the job after this write
  const database = new pg.Client({ connectionString: await reticle.people() })
  await database.connect()
  await database.query('begin')
  await database.query('select from annotations.jobs where job_id = $1 for update', [jobs[0].id])
  const answer = await first.put({ tags })
  await database.end()
  return answer
}

describe('entity tags', () => {
  test('the tag of a job contains its revision, which grows by one with each write', async () => {
    const first = tagOf(await job.put({ shapes: [box()] }))
    expect(first).toMatch(new RegExp(`^"a${world.jobs[0].id}-\\d+"$`))
    const created = await job.patch('create', { shapes: [box()] })
    const { shapes } = created.body
    const updated = await job.patch('update', { shapes: [{ id: shapes[0].id, group: 1 }] })
    const removed = await job.patch('delete', { shapes })
    const cleared = await job.clear()
    const seen = [created, updated, removed, cleared].map(tagOf)
    const second = next(first)
    expect(seen).toEqual([second, next(second), next(next(second)), next(next(next(second)))])
    expect(tagOf(await job.get())).toBe(seen[3])
  })

  test('the tag of a task changes with each of its jobs', async () => {
    const seen = [tagOf(await world.whole.put({ shapes: [box(), box({ frame: 7 })] }))]
    expect(seen[0]).toMatch(new RegExp(`^"t${world.task.id}-[0-9a-f]+"$`))
    for (const [sets, frame] of [
      [world.first, 0],
      [world.second, 7],
    ] as const) {
      await sets.patch('create', { shapes: [box({ frame })] })
      seen.push(await world.whole.tag())
    }
    expect(new Set(seen).size).toBe(3)
    const one = await job.tag()
    await world.second.patch('create', { shapes: [box({ frame: 7 })] })
    expect(await job.tag()).toBe(one)
  })

  test('a write without effect keeps the tag', async () => {
    const tag = tagOf(await job.put({}))
    const { status } = await job.put({ shapes: [box({ points: [1] })] })
    const unchanged = [await job.put({}), await job.patch('create', {}), await job.clear()]
    expect([status, ...unchanged.map(tagOf), await job.tag()]).toEqual([400, tag, tag, tag, tag])
  })

  test('a read with a known tag is answered 304 without a body', async () => {
    for (const sets of [job, world.whole]) {
      const tag = await sets.tag()
      for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const answer = await sets.get({ 'if-none-match': known })
        expect([answer.status, answer.text, tagOf(answer)], known).toEqual([304, '', tag])
      }
      const other = await sets.get({ 'if-none-match': '"x"' })
      expect([other.status, other.body]).toEqual([200, await sets.read()])
    }
  })
})

describe('If-Match', () => {
  const writes = (sets: AnnotationSets, shapes: AnyJson[], headers: Record<string, string>) => [
    () => sets.put({ shapes }, { headers }),
    () => sets.patch('create', { shapes: [box()] }, { headers }),
    () => sets.patch('update', { shapes: shapes.map(({ id }) => ({ id, group: 3 })) }, { headers }),
    () => sets.patch('delete', { shapes }, { headers }),
    () => sets.clear({ headers }),
  ]

  test('an outdated tag is answered 412 with the current tag, and nothing is written', async () => {
    for (const sets of [job, world.whole]) {
      const old = tagOf(await sets.put({ shapes: [box()] }))
      const { shapes } = await sets.write({ shapes: boxes(2) })
      const [tag, text] = [await sets.tag(), (await sets.get()).text]
      for (const if_match of [old, `W/${tag}`, '"x", "y"'])
        for (const write of writes(sets, shapes, { 'if-match': if_match })) {
          const [status, code, body] = refusalOf(await write())
          expect([status, code]).toEqual([412, 'annotations_changed'])
          const detail = 'Annotations were changed by someone else'
          expect(body).toMatchObject({ detail, code: 'annotations_changed', etag: tag })
        }
      expect([await sets.tag(), (await sets.get()).text]).toEqual([tag, text])
    }
  })

  test('a current tag, a list that contains it, and * let the write pass', async () => {
    for (const sets of [job, world.whole])
      for (const index of [0, 1, 2, 3, 4]) {
        const { shapes } = await sets.write({ shapes: [box()] })
        const tag = await sets.tag()
        const form = [tag, `"x", ${tag}`, '*'][index % 3] ?? tag
        const answer = await writes(sets, shapes, { 'if-match': form })[index]?.()
        expect(answer?.status, form).toBeLessThan(300)
      }
  })

  test.each(['x', '"x', 'a31-58', '"a", b'])(
    'the value %j is not an entity tag and is answered 400',
    async (if_match) => {
      const { shapes } = await job.write({ shapes: [box()] })
      const before = await job.get()
      for (const write of writes(job, shapes, { 'if-match': if_match }))
        expect((await write()).status).toBe(400)
      expect((await job.get()).text).toBe(before.text)
    },
  )

  test('exactly one of twenty concurrent writers with the same tag succeeds', async () => {
    const headers = { 'if-match': await job.tag() }
    const writers = Array.from({ length: 20 }, (_, group) =>
      job.patch('create', { shapes: [box({ group })] }, { headers }),
    )
    const statuses = (await Promise.all(writers)).map(({ status }) => status)
    expect(statuses.sort()).toEqual([200, ...Array(19).fill(412)])
  })
})

describe('concurrent writes', () => {
  test('of several concurrent PUTs exactly one complete set remains', async () => {
    for (const sets of [job, world.whole])
      for (let round = 0; round < 2; round++) {
        const counts = [1, 30, 1100, 2100]
        const answers = await Promise.all(
          counts.map((count) => sets.put({ shapes: boxes(count, { group: count }) })),
        )
        expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
        expect(new Set(answers.map(tagOf)).size).toBe(4)
        const { body: read, headers } = await sets.get()
        const winner = answers.find((one) => tagOf(one) === tagOf({ headers }))
        expect(winner?.body).toEqual(read)
        expect(counts).toContain(read.shapes.length)
      }
  })

  test('objects created, changed and deleted concurrently are all kept', async () => {
    const { shapes } = await job.write({ shapes: boxes(10) })
    const calls = shapes.map((shape: AnyJson, group: number) => [
      job.patch('create', { tags: [{ frame: 0, label_id: world.idOf('plain'), group }] }),
      group % 2 === 0
        ? job.patch('delete', { shapes: [{ id: shape.id }] })
        : world.whole.patch('update', { shapes: [{ id: shape.id, group }] }),
    ])
    for (const answer of await Promise.all<ApiResponse>(calls.flat()))
      expect(answer.status, answer.text).toBe(200)
    const read = await job.read()
    const groups = (list: AnyJson[]) => list.map(({ group }) => group).sort((a, b) => a - b)
    expect(groups(read.tags)).toEqual(shapes.map((_: AnyJson, group: number) => group))
    expect(groups(read.shapes)).toEqual([1, 3, 5, 7, 9])
  })

  test('a write that waits too long for the lock of the job is answered 409 with Retry-After', async () => {
    const answer = await locked
    expect(refusalOf(answer).slice(0, 2)).toEqual([409, 'annotations_locked'])
    expect(answer.headers.get('retry-after')).toBe('2')
    expect(answer.body.detail).toBeTypeOf('string')
  }, 30_000)
})

describe('a call repeated under its idempotency key', () => {
  const keyed = (key: string) => ({ headers: { 'idempotency-key': key } })
  const isReplay = ({ headers }: ApiResponse) => headers.get('idempotency-replayed') === 'true'

  test('PUT and every PATCH action take effect once and return the same answer', async () => {
    const { shapes } = await job.write({ shapes: boxes(3) })
    const [first, second] = shapes
    const calls: [string, () => Promise<ApiResponse>][] = [
      ['create', () => job.patch('create', { shapes: [box()] }, keyed('create'))],
      ['update', () => job.patch('update', { shapes: [{ id: first.id, group: 1 }] }, keyed('u'))],
      ['delete', () => job.patch('delete', { shapes: [{ id: second.id }] }, keyed('delete'))],
      ['task', () => world.whole.patch('create', { shapes: [box()] }, keyed('task'))],
      ['put', () => job.put({ shapes: boxes(2) }, keyed('put'))],
    ]
    for (const [name, call] of calls) {
      const once = await call()
      await job.patch('create', { tags: [{ frame: 0, label_id: world.idOf('plain') }] })
      const between = await job.get()
      const again = await call()
      expect([once.status, again.status, isReplay(once), isReplay(again)], name).toEqual([
        ...[200, 200, false, true],
      ])
      expect([again.text, tagOf(again)], name).toEqual([once.text, tagOf(once)])
      expect((await job.get()).text, name).toBe(between.text)
    }
  })

  test('a repeated key with another body or action is answered 409', async () => {
    const send = (action: string, json: AnyJson) => job.patch(action, json, keyed('one'))
    await send('create', { shapes: [box()] })
    const before = await job.get()
    for (const other of [
      await send('create', { shapes: boxes(2) }),
      await send('delete', { shapes: [box()] }),
    ])
      expect(refusalOf(other).slice(0, 2)).toEqual([409, 'idempotency_key_reused'])
    expect((await job.get()).text).toBe(before.text)
  })

  test('a refused call is refused again, even if it would be valid by now', async () => {
    const { shapes } = await job.write({ shapes: [box()] })
    const headers = { ...keyed('refused').headers, 'if-match': '"old"' }
    const call = () =>
      job.patch('update', { shapes: [{ id: shapes[0].id, group: 9 }] }, { headers })
    const [first, second] = [await call(), await call()]
    expect([first.status, second.status, isReplay(second)]).toEqual([412, 412, true])
    expect(second.body).toEqual(first.body)
    expect((await job.read()).shapes).toEqual(shapes)
  })

  test('fifteen concurrent calls with the same key take effect once', async () => {
    await job.clear()
    const call = () => job.patch('create', { shapes: [box()] }, keyed('at once'))
    const answers = await Promise.all(Array.from({ length: 15 }, call))
    for (const { status, headers } of answers)
      if (status !== 200) expect([status, headers.get('retry-after')]).toEqual([409, '1'])
    const last = await call()
    expect([last.status, last.body]).toEqual([200, await job.read()])
    expect(last.body.shapes).toHaveLength(1)
  })
})

describe('a truncated body', () => {
  /** Sends the first half of a body, then closes the connection. */
  async function sendHalf(method: string, url: string, framing: string, half: string) {
    const socket = connect(Number(new URL(reticle.url).port), '127.0.0.1')
    await once(socket, 'connect')
    const head = [
      `${method} /api${url} HTTP/1.1`,
      ...['Host: x', `Authorization: ${basic}`, 'Content-Type: application/json', framing],
    ].join('\r\n')
    const isChunked = framing.startsWith('Transfer')
    const piece = isChunked ? `${half.length.toString(16)}\r\n${half}\r\n` : half
    socket.on('error', () => undefined)
    await new Promise((resolve) => socket.write(`${head}\r\n\r\n${piece}`, resolve))
    await new Promise((resolve) => setTimeout(resolve, 100)) // the write is in the middle of its transaction
    socket.destroy()
  }

  test.each(['PUT', 'PATCH'])(
    'a truncated %s body changes nothing and blocks no other writer',
    async (method) => {
      const { text, headers } = await job.get().then(() => job.put({ shapes: boxes(2) }))
      const whole = JSON.stringify({ shapes: boxes(3000) })
      const half = whole.slice(0, whole.length / 2)
      const url = `${job.url}${method === 'PATCH' ? '?action=create' : ''}`
      for (const framing of [`Content-Length: ${whole.length}`, 'Transfer-Encoding: chunked'])
        await sendHalf(method, url, framing, half)
      const read = await job.get()
      expect([JSON.parse(read.text), tagOf(read)]).toEqual([JSON.parse(text), tagOf({ headers })])
      const began = performance.now()
      expect((await job.put({})).body).toEqual(emptySet)
      expect(performance.now() - began).toBeLessThan(5000)
    },
  )
})
