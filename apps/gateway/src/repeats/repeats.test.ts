import { setTimeout as sleep } from 'node:timers/promises'
import { projectRecord } from '@reticle/contracts/testing/records'
import { conflict, DomainError, invalid, unavailable } from '@reticle/kit'
import { keyHandlers } from '@reticle/kit/keys/keys'
import { idempotencyKeysTable } from '@reticle/kit/keys/table'
import { bytesOf } from '@reticle/kit/testing/bytes'
import { testDb } from '@reticle/kit/testing/db'
import { FormData } from 'undici'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestRequest } from '../testing/gateway.ts'

/** Idempotency keys in a gateway with a real table (docs/spec/rest.md#idempotency-keys). */

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

const { send } = await startTestGateway({
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

const keyed = (key: string, body: TestRequest['body'] = { name: 'p' }, more: TestRequest = {}) =>
  send('/api/projects', { method: 'POST', body, ...more, headers: { 'idempotency-key': key } })
const isReplay = ({ headers }: { headers: Record<string, unknown> }) =>
  headers['idempotency-replayed'] === 'true'

describe('a call with a key', () => {
  test('is made once, and its response is repeated', async () => {
    const first = await keyed('k')
    const second = await keyed('k')
    expect([first.status, isReplay(first)]).toEqual([201, false])
    expect([second.status, isReplay(second)]).toEqual([201, true])
    expect(second.json()).toEqual(first.json())
    for (const name of ['etag', 'content-type', 'cache-control'])
      expect(second.headers[name], name).toBe(first.headers[name])
    expect(calls).toHaveLength(1)
  })

  test('reaches its service with a call id that differs for other keys', async () => {
    for (const key of ['a', 'b']) await keyed(key)
    expect(calls[0]).toMatch(/^[\da-f-]{36} createProject$/)
    expect(calls[1]).not.toBe(calls[0])
    await send('/api/projects', { method: 'POST', body: { name: 'p' } })
    expect(calls[2]).toBeUndefined()
  })

  test.each([
    ['of another user', { as: 'bo' }],
    ['under another path', {}],
  ])('%s is a different call', async (_, more) => {
    await keyed('k')
    const body = { name: 'p' }
    const headers = { 'idempotency-key': 'k' }
    const path = 'as' in more ? '/api/projects' : '/api/auth/access_tokens'
    const other = await send(path, { method: 'POST', body, headers, ...more })
    expect([other.status, isReplay(other)]).toEqual([201, false])
  })

  test('is the same call with a trailing slash', async () => {
    await keyed('k')
    const headers = { 'idempotency-key': 'k' }
    const again = await send('/api/projects/', { method: 'POST', body: { name: 'p' }, headers })
    expect([isReplay(again), calls.length]).toEqual([true, 1])
  })
})

describe('a key that was used for a different call', () => {
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

test('a second call during the first one is refused with a time to retry', async () => {
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

describe('responses with an error', () => {
  test.each([
    [400, () => invalid({ name: 'No.' })],
    [403, () => new DomainError('forbidden', 'No.')],
    [404, () => new DomainError('not_found', 'No.')],
    [409, () => conflict('No.')],
    [412, () => new DomainError('precondition', 'No.')],
  ])('are stored and repeated for status %d', async (status, refusal) => {
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

  test('are stored for a body that the gateway refuses', async () => {
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
  ])('of status %d are not stored; a repeat has the same call id', async (status, failure) => {
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

test.each(['', 'x'.repeat(256), 'ü', 'a\tb'])('the key %j is invalid', async (key) => {
  const { status, json } = await keyed(key)
  const text = 'This header has to be 1 to 255 printable ASCII characters.'
  expect([status, json()]).toEqual([400, { 'Idempotency-Key': [text] }])
  expect(calls).toEqual([])
})

test('an operation that takes no key ignores the header', async () => {
  const headers = { 'idempotency-key': '' }
  const change = () => send('/api/projects/7', { method: 'PATCH', body: { name: 'q' }, headers })
  expect([(await change()).status, (await change()).status]).toEqual([200, 200])
  expect(calls).toEqual([undefined, undefined])
})

describe('when the process dies during a call', () => {
  const die = () =>
    db.updateTable('idempotency_keys').set({ answer: null, leased_until_date: new Date(0) })

  test('the key can be used again with the same call id after its lease', async () => {
    await keyed('k')
    await die().execute()
    const again = await keyed('k')
    expect([again.status, isReplay(again)]).toEqual([201, false])
    expect(calls[1]).toBe(calls[0])
  })

  test('the key is refused with another body even after its lease', async () => {
    await keyed('k')
    await die().execute()
    expect((await keyed('k', { name: 'q' })).status).toBe(409)
  })

  test('the key is in use until its lease ends', async () => {
    await keyed('k')
    await db.updateTable('idempotency_keys').set({ answer: null }).execute()
    const leased_until_date = new Date(Date.now() + 50_000)
    await db.updateTable('idempotency_keys').set({ leased_until_date }).execute()
    expect((await keyed('k')).headers['x-error-code']).toBe('idempotency_in_progress')
  })
})

test('a key can be reused after a day', async () => {
  await keyed('k')
  const created_date = new Date(Date.now() - 24 * 3_600_000 - 1000)
  await db.updateTable('idempotency_keys').set({ created_date }).execute()
  expect(isReplay(await keyed('k', { name: 'q' }))).toBe(false)
  expect(calls[1]).not.toBe(calls[0])
})

test('a client that disconnected during a call gets the response when it returns', async () => {
  const leaving = new AbortController()
  answer = () => sleep(200)
  const lost = keyed('k', { name: 'p' }, { signal: leaving.signal }).catch(() => undefined)
  await expect.poll(() => calls.length).toBe(1)
  leaving.abort()
  await lost
  await expect.poll(async () => (await keyed('k')).status, { timeout: 60_000 }).toBe(201)
  expect(new Set(calls).size).toBe(1)
})

test('a response with a secret is repeated, but is not readable in the table', async () => {
  const headers = { 'idempotency-key': 'k' }
  const sent = { method: 'POST', body: { name: 't' }, headers } as const
  const first = await send('/api/auth/access_tokens', sent)
  const second = await send('/api/auth/access_tokens', sent)
  expect([isReplay(second), second.json()]).toEqual([true, first.json()])
  const [row] = await db.selectFrom('idempotency_keys').select('answer').execute()
  expect(row?.answer?.includes('secret')).toBe(false)
})

test('a token without permission does not get the response of a call by another token', async () => {
  await keyed('k')
  expect((await keyed('k', { name: 'p' }, { as: 'reader' })).status).toBe(403)
})

describe('annotation sets that are streamed', () => {
  const large = () => bytesOf(...Array.from({ length: 40 }, () => 'x'.repeat(50_000)))
  const put = (body: TestRequest['body'], headers: Record<string, string> = {}) =>
    send('/api/jobs/31/annotations/', {
      method: 'PUT',
      body,
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k', ...headers },
    })

  test('are stored once, and the response is repeated', async () => {
    const first = await put('{}')
    const second = await put('{}')
    expect([isReplay(second), second.text]).toEqual([true, first.text])
    expect(second.headers.etag).toBe(first.headers.etag)
    expect(calls).toHaveLength(1)
  })

  test('are distinguished while they stream, regardless of their size', async () => {
    const first = await put(large())
    expect(JSON.parse(first.text)).toEqual({ size: 2_000_000 })
    const second = await put(large())
    expect([isReplay(second), second.text]).toEqual([true, first.text])
    const other = await put(bytesOf('y', 'x'.repeat(1_999_999)))
    expect(other.headers['x-error-code']).toBe('idempotency_key_reused')
    expect(calls).toHaveLength(1)
  })

  test('are different calls with different conditions', async () => {
    await put('{}', { 'if-match': '"a31-1"' })
    expect((await put('{}', { 'if-match': '"a31-2"' })).status).toBe(409)
  })

  test('get only id and entity tag again for a response above 1 MiB', async () => {
    answerBytes = 1024 * 1024
    const first = await put('{}')
    const second = await put('{}')
    expect(first.text.length).toBeGreaterThan(answerBytes)
    expect([second.status, second.json()]).toEqual([200, { id: 31 }])
    expect(second.headers.etag).toBe(first.headers.etag)
  })
})

describe('forms with a key', () => {
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

  test('are equal with another boundary, and start one request', async () => {
    const first = await post('x'.repeat(100_000))
    const second = await post('x'.repeat(100_000))
    expect([first.status, second.status, isReplay(second)]).toEqual([202, 202, true])
    expect(second.json()).toEqual(first.json())
    expect([calls.length, opened]).toEqual([1, [undefined]])
  })

  test('are refused with another file', async () => {
    await post('x')
    expect((await post('y')).headers['x-error-code']).toBe('idempotency_key_reused')
    expect(calls).toHaveLength(1)
  })
})

describe('steps of an upload with a key', () => {
  const step = (headers: Record<string, string>) =>
    send('/api/tasks/12/data', { method: 'POST', headers: { 'idempotency-key': 'k', ...headers } })
  const creation = {
    'tus-resumable': '1.0.0',
    'upload-length': '5',
    'upload-metadata': 'filename YQ==',
  }

  test('a file is created once, and its location is repeated', async () => {
    const [first, second] = [await step(creation), await step(creation)]
    expect([first.status, second.status, isReplay(second)]).toEqual([201, 201, true])
    for (const name of ['location', 'upload-filename', 'upload-expires'])
      expect(second.headers[name], name).toBe(first.headers[name])
    expect(calls).toHaveLength(1)
  })

  test('each step is a different call', async () => {
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

  test('the final step is executed once although it has no body', async () => {
    const [first, second] = [
      await step({ 'upload-finish': '' }),
      await step({ 'upload-finish': '' }),
    ]
    expect([first.status, isReplay(second)]).toEqual([202, true])
    expect(calls).toHaveLength(1)
  })
})
