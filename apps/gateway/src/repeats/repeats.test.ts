import { setTimeout as sleep } from 'node:timers/promises'
import { projectRecord } from '@reticle/contracts/testing/records'
import { conflict, DomainError, invalid, unavailable } from '@reticle/kit'
import { keyHandlers } from '@reticle/kit/keys/keys'
import { idempotencyKeysTable } from '@reticle/kit/keys/table'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { testDb } from '@reticle/kit/testing/db'
import { FormData } from 'undici'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Sent, testGateway } from '../testing/gateway.ts'

/** `spec/extensions.md` 7 at the door: keys on a real table, services that count what reaches them. */

interface Tables {
  idempotency_keys: {
    id: string
    answer: Buffer | null
    leased_until_date: Date
    created_date: Date
  }
}
const up = (schema: Parameters<typeof idempotencyKeysTable>[0]) =>
  idempotencyKeysTable(schema, 'keys')
const db = await testDb<Tables>({ '0001-keys': { up } }, 'keys')

let calls: (string | undefined)[] = []
let answer: () => Promise<void> | void = () => undefined
const made = async (call_id: string | undefined) => {
  calls.push(call_id)
  await answer()
}

const { send } = await testGateway({
  services: {
    keys: keyHandlers(db),
    projects: {
      async createProject({ body }, { call_id }) {
        await made(call_id)
        return projectRecord({ id: calls.length, name: body.name })
      },
      async updateProject({ body }, { call_id }) {
        await made(call_id)
        return projectRecord({ name: body.name ?? '' })
      },
    },
    identity: {
      async createAccessToken({ body }, { call_id }) {
        await made(call_id)
        const { owner } = projectRecord()
        if (!owner) throw new Error('the record has an owner')
        const date = '2026-03-01T10:00:00.000Z'
        const token = { id: 5, name: body.name, created_date: date, updated_date: date, owner }
        const rest = { expiry_date: null, last_used_date: null, read_only: true }
        return { ...token, ...rest, dialect: 'service', value: 'a.secret' }
      },
    },
    annotations: {
      async replaceJobAnnotations({ body }, { call_id }) {
        let size = 0
        for await (const piece of body) size += piece.length
        await made(call_id)
        const head = { etag: `"a31-${calls.length}"` }
        return { head, chunks: bytesOf(`{"size":${size}}`, ' '.repeat(answerBytes), ' ') }
      },
    },
    requests: {
      openUpload: async (_, { call_id }) => {
        opened.push(call_id)
        return { upload_id: 'u', prefix: `uploads/${opened.length}/` }
      },
      checkUpload: async () => undefined,
      createFile: async (_, { call_id }) => {
        await made(call_id)
        return { file_id: `3_${calls.length}`, expires_date: '2026-03-01T22:00:00.000Z' }
      },
      startDataPreparation: async (_, { call_id }) => {
        await made(call_id)
        return { rq_id: `request ${calls.length}` }
      },
    },
  },
})
let opened: (string | undefined)[] = []
let answerBytes = 0

beforeEach(async () => {
  await db.deleteFrom('idempotency_keys').execute()
  calls = []
  opened = []
  answerBytes = 0
  answer = () => undefined
})

const keyed = (key: string, body: Sent['body'] = { name: 'p' }, more: Partial<Sent> = {}) =>
  send('/api/projects', { method: 'POST', body, ...more, headers: { 'idempotency-key': key } })
const isReplay = ({ headers }: { headers: Record<string, unknown> }) =>
  headers['idempotency-replayed'] === 'true'

describe('a call under a key', () => {
  test('is made once, and answered the same again', async () => {
    const first = await keyed('k')
    const second = await keyed('k')
    expect([first.status, isReplay(first)]).toEqual([201, false])
    expect([second.status, isReplay(second)]).toEqual([201, true])
    expect(second.json()).toEqual(first.json())
    for (const name of ['etag', 'content-type', 'cache-control'])
      expect(second.headers[name], name).toBe(first.headers[name])
    expect(calls).toHaveLength(1)
  })

  test('reaches its service under an id, which no other call has', async () => {
    for (const key of ['a', 'b']) await keyed(key)
    expect(calls[0]).toMatch(/^[\da-f-]{36} createProject$/)
    expect(calls[1]).not.toBe(calls[0])
    await send('/api/projects', { method: 'POST', body: { name: 'p' } })
    expect(calls[2]).toBeUndefined()
  })

  test.each([
    ['of another user', { as: 'bo' }],
    ['under another path', {}],
  ])('%s is another one', async (_, more) => {
    await keyed('k')
    const body = { name: 'p' }
    const headers = { 'idempotency-key': 'k' }
    const path = 'as' in more ? '/api/projects' : '/api/auth/access_tokens'
    const other = await send(path, { method: 'POST', body, headers, ...more })
    expect([other.status, isReplay(other)]).toEqual([201, false])
  })

  test('is the same with a slash at its end', async () => {
    await keyed('k')
    const headers = { 'idempotency-key': 'k' }
    const again = await send('/api/projects/', { method: 'POST', body: { name: 'p' }, headers })
    expect([isReplay(again), calls.length]).toEqual([true, 1])
  })
})

describe('a key that was sent with something else', () => {
  test.each([
    ['another body', '/api/projects', { name: 'q' }, {}],
    ['another query', '/api/projects?x=1', { name: 'p' }, {}],
    ['another workspace', '/api/projects', { name: 'p' }, { 'x-organization': '' }],
  ])('is refused: %s', async (_, path, body, headers) => {
    await keyed('k')
    const sent = { ...headers, 'idempotency-key': 'k' }
    const other = await send(path, { method: 'POST', body, headers: sent })
    expect([other.status, other.headers['x-error-code']]).toEqual([409, 'idempotency_key_reused'])
    expect(calls).toHaveLength(1)
  })
})

test('while it runs a second one is told to come back, and does nothing', async () => {
  let go = () => {}
  answer = () => new Promise<void>((resolve) => (go = resolve))
  const first = keyed('k')
  await expect.poll(() => calls.length).toBe(1)
  const second = await keyed('k')
  expect(second).toMatchObject({ status: 409, headers: { 'retry-after': '1' } })
  expect(second.json()).toMatchObject({ code: 'idempotency_in_progress' })
  go()
  expect((await first).status).toBe(201)
  expect(isReplay(await keyed('k'))).toBe(true)
  expect(calls).toHaveLength(1)
})

describe('refusals', () => {
  test.each([
    [400, () => invalid({ name: 'No.' })],
    [403, () => new DomainError('forbidden', 'No.')],
    [404, () => new DomainError('not_found', 'No.')],
    [409, () => conflict('No.')],
    [412, () => new DomainError('precondition', 'No.')],
  ])('%d is kept and given again', async (status, refusal) => {
    answer = () => {
      throw refusal()
    }
    const first = await keyed('k')
    answer = () => undefined
    const second = await keyed('k')
    expect([first.status, second.status, isReplay(second)]).toEqual([status, status, true])
    expect(second.text).toBe(first.text)
    expect(second.headers['x-error-code']).toBe(first.headers['x-error-code'])
  })

  test('a shape that is refused at the door is kept, too', async () => {
    const refused = await keyed('k', { name: '' })
    const again = await keyed('k', { name: '' })
    expect([refused.status, again.status, isReplay(again)]).toEqual([400, 400, true])
    expect((await keyed('k')).headers['x-error-code']).toBe('idempotency_key_reused')
  })

  test.each([
    [401, () => new DomainError('unauthenticated', 'Who?')],
    [409, () => conflict('Busy.', { retry_after: 1 })],
    [429, () => new DomainError('too_many', 'Slowly.')],
    [500, () => new Error('a bug')],
    [503, () => unavailable('Away.')],
  ])('%d is not: the next one is made, as the same call', async (status, failure) => {
    answer = () => {
      throw failure()
    }
    const first = await keyed('k')
    answer = () => undefined
    const second = await keyed('k')
    expect([first.status, second.status, isReplay(second)]).toEqual([status, 201, false])
    expect(calls[1]).toBe(calls[0])
    expect(isReplay(await keyed('k'))).toBe(true)
  })
})

test.each(['', 'x'.repeat(256), 'ü', 'a\tb'])('the key %j is none', async (key) => {
  const { status, json } = await keyed(key)
  const text = 'This header has to be 1 to 255 printable ASCII characters.'
  expect([status, json()]).toEqual([400, { 'Idempotency-Key': [text] }])
  expect(calls).toEqual([])
})

test('a call that takes no key ignores it, whatever it is', async () => {
  const headers = { 'idempotency-key': '' }
  const change = () => send('/api/projects/7', { method: 'PATCH', body: { name: 'q' }, headers })
  expect([(await change()).status, (await change()).status]).toEqual([200, 200])
  expect(calls).toEqual([undefined, undefined])
})

describe('when the process dies in between', () => {
  const die = () =>
    db.updateTable('idempotency_keys').set({ answer: null, leased_until_date: new Date(0) })

  test('the key works again, as the same call, once its lease is over', async () => {
    await keyed('k')
    await die().execute()
    const again = await keyed('k')
    expect([again.status, isReplay(again)]).toEqual([201, false])
    expect(calls[1]).toBe(calls[0])
  })

  test('another body is refused even then', async () => {
    await keyed('k')
    await die().execute()
    expect((await keyed('k', { name: 'q' })).status).toBe(409)
  })

  test('until then the key is taken', async () => {
    await keyed('k')
    await db.updateTable('idempotency_keys').set({ answer: null }).execute()
    const leased_until_date = new Date(Date.now() + 50_000)
    await db.updateTable('idempotency_keys').set({ leased_until_date }).execute()
    expect((await keyed('k')).headers['x-error-code']).toBe('idempotency_in_progress')
  })
})

test('after a day a key is new', async () => {
  await keyed('k')
  const created_date = new Date(Date.now() - 24 * 3_600_000 - 1000)
  await db.updateTable('idempotency_keys').set({ created_date }).execute()
  expect(isReplay(await keyed('k', { name: 'q' }))).toBe(false)
  expect(calls[1]).not.toBe(calls[0])
})

test('a client that went away in the middle is answered when it comes back', async () => {
  const leaving = new AbortController()
  answer = () => sleep(200)
  const lost = keyed('k', { name: 'p' }, { signal: leaving.signal }).catch(() => undefined)
  await expect.poll(() => calls.length).toBe(1)
  leaving.abort()
  await lost
  await expect.poll(async () => (await keyed('k')).status, { timeout: 5000 }).toBe(201)
  expect(new Set(calls).size).toBe(1)
})

test('an answer with a secret is given again, and nobody who reads the table finds it', async () => {
  const headers = { 'idempotency-key': 'k' }
  const sent = { method: 'POST', body: { name: 't' }, headers } as const
  const first = await send('/api/auth/access_tokens', sent)
  const second = await send('/api/auth/access_tokens', sent)
  expect([isReplay(second), second.json()]).toEqual([true, first.json()])
  const [row] = await db.selectFrom('idempotency_keys').select('answer').execute()
  expect(row?.answer?.includes('secret')).toBe(false)
})

test('a token that may not do it is not given the answer of one that did', async () => {
  await keyed('k')
  expect((await keyed('k', { name: 'p' }, { as: 'reader' })).status).toBe(403)
})

describe('sets that pass as bytes', () => {
  const large = () => bytesOf(...Array.from({ length: 40 }, () => 'x'.repeat(50_000)))
  const put = (body: Sent['body'], headers: Record<string, string> = {}) =>
    send('/api/jobs/31/annotations/', {
      method: 'PUT',
      body,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k', ...headers },
    })

  test('are stored once, and answered the same again', async () => {
    const first = await put('{}')
    const second = await put('{}')
    expect([isReplay(second), second.text]).toEqual([true, first.text])
    expect(second.headers.etag).toBe(first.headers.etag)
    expect(calls).toHaveLength(1)
  })

  test('are told from others while they stream, however large they are', async () => {
    const first = await put(large())
    expect(JSON.parse(first.text)).toEqual({ size: 2_000_000 })
    const second = await put(large())
    expect([isReplay(second), second.text]).toEqual([true, first.text])
    const other = await put(bytesOf('y', 'x'.repeat(1_999_999)))
    expect(other.headers['x-error-code']).toBe('idempotency_key_reused')
    expect(calls).toHaveLength(1)
  })

  test('are the same call under the same condition only', async () => {
    await put('{}', { 'if-match': '"a31-1"' })
    expect((await put('{}', { 'if-match': '"a31-2"' })).status).toBe(409)
  })

  test('whose answer is above 1 MiB are answered their id and tag again', async () => {
    answerBytes = 1024 * 1024
    const first = await put('{}')
    const second = await put('{}')
    expect(first.text.length).toBeGreaterThan(answerBytes)
    expect([second.status, second.json()]).toEqual([200, { id: 31 }])
    expect(second.headers.etag).toBe(first.headers.etag)
  })
})

describe('forms', () => {
  const form = (text: string) => {
    const sent = new FormData()
    sent.append('client_files', new Blob([text]), 'a.png')
    return sent
  }
  const post = (text: string) =>
    send('/api/tasks/12/data', {
      method: 'POST',
      body: form(text),
      headers: { 'idempotency-key': 'k' },
    })

  test('are the same with another boundary, and start one request', async () => {
    const first = await post('x'.repeat(100_000))
    const second = await post('x'.repeat(100_000))
    expect([first.status, second.status, isReplay(second)]).toEqual([202, 202, true])
    expect(second.json()).toEqual(first.json())
    expect([calls.length, opened]).toEqual([1, [undefined]])
  })

  test('with another file are refused', async () => {
    await post('x')
    expect((await post('y')).headers['x-error-code']).toBe('idempotency_key_reused')
    expect(calls).toHaveLength(1)
  })
})

describe('steps of an upload', () => {
  const step = (headers: Record<string, string>) =>
    send('/api/tasks/12/data', { method: 'POST', headers: { 'idempotency-key': 'k', ...headers } })
  const creation = {
    'tus-resumable': '1.0.0',
    'upload-length': '5',
    'upload-metadata': 'filename YQ==',
  }

  test('a file is begun once, and its address told again', async () => {
    const [first, second] = [await step(creation), await step(creation)]
    expect([first.status, second.status, isReplay(second)]).toEqual([201, 201, true])
    for (const name of ['location', 'upload-filename', 'upload-expires'])
      expect(second.headers[name], name).toBe(first.headers[name])
    expect(calls).toHaveLength(1)
  })

  test('each of them is another call', async () => {
    expect((await step({ 'upload-start': '' })).status).toBe(202)
    expect(isReplay(await step({ 'upload-start': '' }))).toBe(true)
    const others: Record<string, string>[] = [
      { 'upload-finish': '' },
      { 'upload-multiple': '' },
      creation,
    ]
    for (const other of others) {
      const answer = await step(other)
      expect([answer.status, answer.headers['x-error-code']]).toEqual([
        409,
        'idempotency_key_reused',
      ])
    }
    expect(calls).toEqual([])
  })

  test('the end is made once, though it has no body', async () => {
    const [first, second] = [
      await step({ 'upload-finish': '' }),
      await step({ 'upload-finish': '' }),
    ]
    expect([first.status, isReplay(second)]).toEqual([202, true])
    expect(calls).toHaveLength(1)
  })
})
