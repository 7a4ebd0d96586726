import { describe, expect, test } from 'vitest'
import {
  ApiError,
  type Client,
  createClient,
  fromBytes,
  fromStream,
  memoryStore,
} from '../index.ts'
import type { ReceivedCall, TestAnswer } from '../testing/service.ts'
import { broken, json, startTestService } from '../testing/service.ts'
import { mostFiles, partBytes, partsOf } from './parts.ts'
import { forEach } from './upload.ts'

type Failure = (heard: ReceivedCall) => TestAnswer | undefined

/** Serves uploads from memory, with the given failures. */
function keeping(failures: readonly Failure[]) {
  const kept = { stored: '', forms: 0, finished: '' }
  const place = () => ({ 'upload-offset': String(kept.stored.length) })
  const takePiece: TestAnswer = (response, { headers, body }) => {
    const isNext = headers['upload-offset'] === place()['upload-offset']
    if (isNext) kept.stored += body
    response.writeHead(isNext ? 204 : 409, place()).end()
  }
  const finish: TestAnswer = (response, heard) => {
    kept.finished = `${heard.path} ${heard.body}`
    json(202, { rq_id: 'rq' })(response, heard)
  }
  const takeForm: TestAnswer = (response) => {
    kept.forms += 1
    response.writeHead(200).end()
  }
  const location = 'http://inside.example.org/api/files/f'
  const begin: TestAnswer = (response) =>
    response.writeHead(201, { location, 'upload-filename': 'f' }).end()
  const has = (name: string) => (heard: ReceivedCall) => heard.headers[name] !== undefined
  const is = (method: string) => (heard: ReceivedCall) => heard.method === method
  const answers: [(heard: ReceivedCall) => boolean, TestAnswer][] = [
    [is('DELETE'), (response) => response.writeHead(204).end()],
    [is('PATCH'), takePiece],
    [is('GET'), (response, heard) => json(200, {}, place())(response, heard)],
    [has('upload-start'), (response) => response.writeHead(202).end()],
    [has('upload-length'), begin],
    [has('upload-multiple'), takeForm],
    [has('upload-finish'), finish],
  ]
  const answer: TestAnswer = (response, heard) => {
    const failure = failures.map((one) => one(heard)).find(Boolean)
    const [, usual = broken] = answers.find(([matches]) => matches(heard)) ?? []
    return (failure ?? usual)(response, heard)
  }
  return { kept, answer }
}

const once = (matches: (heard: ReceivedCall) => boolean, answer: TestAnswer) => {
  let isDone = false
  return (heard: ReceivedCall) => {
    if (isDone || !matches(heard)) return undefined
    isDone = true
    return answer
  }
}

const size = partBytes + 1000
const text = 'abcdefghij'.repeat(size / 10 + 1).slice(0, size)
const large = () => fromBytes('large.json', new TextEncoder().encode(text))
const small = (name: string) => fromBytes(name, new TextEncoder().encode(name))
const begin = async (...failures: Failure[]) => {
  const { kept, answer } = keeping(failures)
  const { url, heard } = await startTestService(answer)
  return { kept, heard, client: createClient({ url, retries: 3 }) }
}
const sendLarge = (client: Client, more = {}) =>
  client.importTaskAnnotations.send({ id: 5, format: 'COCO 1.0' }, large(), more)
const steps = (heard: readonly ReceivedCall[]) =>
  heard.map(({ method, path, headers }) => {
    const header = Object.keys(headers).find((name) => /^upload-(?!metadata)/.test(name))
    return `${method} ${path}${header ? ` ${header}` : ''}`
  })

describe('a large file', () => {
  test('is announced, started, sent in chunks to the host of the client, and finished by name', async () => {
    const { kept, heard, client } = await begin()
    expect(await sendLarge(client)).toEqual({ rq_id: 'rq' })
    const collection = '/tasks/5/annotations/'
    expect(steps(heard)).toEqual([
      `POST ${collection}?format=COCO+1.0 upload-start`,
      `POST ${collection} upload-length`,
      ...['PATCH /files/f upload-offset', 'PATCH /files/f upload-offset'],
      `POST ${collection}?format=COCO+1.0&filename=f upload-finish`,
    ])
    expect(heard[1]?.headers).toMatchObject({
      'tus-resumable': '1.0.0',
      'upload-length': String(size),
      'upload-metadata': `filename ${btoa('large.json')}`,
    })
    expect(kept.stored === text).toBe(true)
  })

  test('resumes after failures from the stored offset', async () => {
    const { kept, heard, client } = await begin(
      once(({ headers }) => headers['upload-offset'] === '0', broken),
      once(({ headers }) => headers['upload-offset'] === String(partBytes), json(503, {})),
    )
    await sendLarge(client)
    expect(kept.stored === text).toBe(true)
    expect(steps(heard).filter((one) => one.startsWith('GET'))).toEqual([
      'GET /files/f',
      'GET /files/f',
    ])
  })

  test('is complete even if its last response was lost', async () => {
    const lost: TestAnswer = (response) => response.socket?.destroy()
    const isLast = ({ headers }: ReceivedCall) => headers['upload-offset'] === String(partBytes)
    const isAsked = ({ method }: ReceivedCall) => method === 'GET'
    const { client } = await begin(once(isLast, lost), once(isAsked, json(404, {})))
    expect(await sendLarge(client)).toEqual({ rq_id: 'rq' })
  })

  test('is not sent again after a rejection', async () => {
    const isPiece = ({ method }: ReceivedCall) => method === 'PATCH'
    const refused = json(413, { detail: 'Too large.' })
    const { heard, client } = await begin((one) => (isPiece(one) ? refused : undefined))
    await expect(sendLarge(client)).rejects.toThrow('importTaskAnnotations was refused with 413')
    expect(heard.filter(isPiece)).toHaveLength(1)
  })

  test('fails after attempts without progress', async () => {
    const stuck: TestAnswer = (response) => response.writeHead(409, { 'upload-offset': 0 }).end()
    const { client } = await begin(({ method }) => (method === 'PATCH' ? stuck : undefined))
    await expect(sendLarge(client, { retries: 1 })).rejects.toThrow('does not get beyond byte 0')
  })

  test('resumes in a later call from its stored state', async () => {
    const store = memoryStore()
    const second = once(
      ({ headers }) => headers['upload-offset'] === String(partBytes),
      json(400, ['no']),
    )
    const { kept, heard, client } = await begin(second)
    await expect(sendLarge(client, { store })).rejects.toThrow(ApiError)
    const before = heard.length
    await sendLarge(client, { store })
    expect(steps(heard.slice(before))).toEqual([
      ...['GET /files/f', 'PATCH /files/f upload-offset'],
      'POST /tasks/5/annotations/?format=COCO+1.0&filename=f upload-finish',
    ])
    expect(kept.stored === text).toBe(true)
    await sendLarge(client, { store }) // a finished upload has no stored state
    expect(steps(heard).filter((one) => one.endsWith('upload-start'))).toHaveLength(2)
  })

  test('from a stream is sent again from memory as far as needed', async () => {
    const bytes = new TextEncoder().encode(text)
    const pieces = async function* () {
      for (let at = 0; at < size; at += 100_000) yield bytes.subarray(at, at + 100_000)
    }
    const { kept, client } = await begin(once(({ method }) => method === 'PATCH', broken))
    const source = fromStream('s.json', size, pieces())
    await client.importTaskAnnotations.send({ id: 5, format: 'x' }, source)
    expect(kept.stored === text).toBe(true)
    const wrong = fromStream('s.json', size + 1, pieces())
    const sending = (await begin()).client.importTaskAnnotations.send({ id: 5 }, wrong)
    await expect(sending).rejects.toThrow('ended before its')
  })
})

describe('many files', () => {
  const files = Array.from({ length: mostFiles + 1 }, (_, index) => small(`${index}.png`))
  const send = (client: Client, more = {}) =>
    client.uploadTaskData.send({ id: 5, body: { image_quality: 90 } }, files, more)

  test('are sent in groups, after the remains of other uploads were deleted', async () => {
    const { kept, heard, client } = await begin()
    await send(client)
    expect(steps(heard)).toEqual([
      ...['POST /tasks/5/data upload-start', 'DELETE /tasks/5/data'],
      ...['POST /tasks/5/data upload-multiple', 'POST /tasks/5/data upload-multiple'],
      'POST /tasks/5/data upload-finish',
    ])
    expect(kept).toMatchObject({ forms: 2, finished: '/tasks/5/data {"image_quality":90}' })
  })

  test('are not sent twice, and an uncertain group is sent again with the same key', async () => {
    const store = memoryStore()
    const isSecond = ({ headers, body }: ReceivedCall) =>
      headers['upload-multiple'] !== undefined && !body.includes('"0.png"')
    const { heard, client } = await begin(once(isSecond, broken))
    await expect(send(client, { store, retries: 0 })).rejects.toThrow('got no answer')
    await send(client, { store })
    const groups = heard.filter(({ headers }) => headers['upload-multiple'] !== undefined)
    const keys = groups.map(({ headers }) => headers['idempotency-key'])
    expect(groups).toHaveLength(3)
    expect(groups.filter(isSecond)).toHaveLength(2)
    expect(new Set(keys).size).toBe(2)
  })

  test('start again when the stored state is too old', async () => {
    const state = JSON.stringify({ session: 's', started: Date.now() - 12 * 3600 * 1000 })
    const store = {
      ...memoryStore(),
      get: (key: string) => (key.endsWith(' session') ? state : null),
    }
    const { heard, client } = await begin()
    await send(client, { store })
    expect(steps(heard)[0]).toBe('POST /tasks/5/data upload-start')
  })
})

test('files are divided by size and name, in their order', () => {
  const file = (name: string, bytes: number) => ({ ...small(name), size: bytes })
  const half = partBytes / 2
  const parts = partsOf([
    ...[file('a', half), file('b', half), file('c', half), file('d/e', 1)],
    ...[file('f', partBytes + 1), file('g', 1)],
  ])
  const shown = parts.map(({ files, isInPieces }) => [
    files.map(({ name }) => name).join(),
    isInPieces,
  ])
  expect(shown).toEqual([
    ...[
      ['a,b', false],
      ['c,g', false],
    ],
    ...[
      ['d/e', true],
      ['f', true],
    ],
  ])
  const [first, second] = [partsOf([file('a', 1)]), partsOf([{ ...file('a', 1), modified: 2 }])]
  expect(first[0]?.key).not.toBe(second[0]?.key)
})

test('concurrency is limited, and no item is started after a failure', async () => {
  let [running, most] = [0, 0]
  const begun: number[] = []
  const work = async (item: number) => {
    begun.push(item)
    most = Math.max(most, ++running)
    await new Promise((resolve) => setTimeout(resolve, 5))
    running -= 1
    if (item === 3) throw new Error('the third')
  }
  await expect(forEach([1, 2, 3, 4, 5, 6, 7], 2, work)).rejects.toThrow('the third')
  expect(most).toBe(2)
  expect(begun).toEqual([1, 2, 3, 4])
})
