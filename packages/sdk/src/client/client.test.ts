import { readFileSync } from 'node:fs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ApiError, apiVersion, ConnectionError, createClient, UnexpectedAnswer } from '../index.ts'
import { broken, json, startTestService, type TestAnswer } from '../testing/service.ts'

const soon = { 'retry-after': '0' }
const project = { id: 7, name: 'streets' }

describe('a call', () => {
  test('sends params, query, headers and body in their places', async () => {
    const { url, heard } = await startTestService(json(200, project))
    const client = createClient({ url, token: 'a.b', organization: 'acme' })
    await client.updateProject({ id: 7, if_match: '"3"', body: { name: 'x' } })
    await client.listProjects({ page: 2, filter: { '==': [{ var: 'name' }, 'a b'] } })
    expect(heard).toMatchObject([
      {
        method: 'PATCH',
        path: '/projects/7',
        body: '{"name":"x"}',
        headers: {
          authorization: 'Token a.b',
          'x-organization': 'acme',
          'if-match': '"3"',
          'content-type': 'application/json',
          'user-agent': 'reticle-sdk/2.58.1',
        },
      },
      {
        path: '/projects?page=2&filter=%7B%22%3D%3D%22%3A%5B%7B%22var%22%3A%22name%22%7D%2C%22a+b%22%5D%7D',
      },
    ])
  })

  test('escapes parameters in the path', async () => {
    const { url, heard } = await startTestService(json(200, {}))
    await createClient({ url }).getRequest({ rq_id: 'action=create&target=task/1' })
    expect(heard[0]?.path).toBe('/requests/action%3Dcreate%26target%3Dtask%2F1')
  })

  test('sends basic credentials in any script as UTF-8', async () => {
    const { url, heard } = await startTestService(json(200, {}))
    const client = createClient({
      url: `${url}/api/`,
      basic: { username: 'anna', password: 'пароль' },
    })
    await client.getSelf({}, { organization: '' })
    const [, coded = ''] = heard[0]?.headers.authorization?.split(' ') ?? []
    expect(Buffer.from(coded, 'base64').toString()).toBe('anna:пароль')
    expect(heard[0]).toMatchObject({ path: '/users/self', headers: { 'x-organization': '' } })
  })

  test('sends the headers of the client, overridden by those of the call', async () => {
    const { url, heard } = await startTestService(json(200, {}))
    const headers = { accept: 'application/vnd.cvat+json', authorization: 'Bearer a', 'x-own': '1' }
    const client = createClient({ url, token: 'b', headers })
    await client.getSelf()
    await client.getSelf({}, { headers: { 'x-own': '2' } })
    expect(heard).toMatchObject([{ headers }, { headers: { ...headers, 'x-own': '2' } }])
  })

  test('fails before it is sent when a parameter is missing', () => {
    const client = createClient({ url: 'http://127.0.0.1:9' })
    // @ts-expect-error an id is needed
    const calling = async () => client.getProject({})
    return expect(calling()).rejects.toThrow('getProject needs id.')
  })

  test.each([
    ['ftp://x', 'url has to be an address'],
    ['nonsense', 'url has to be an address'],
    ['http://anna:secret@x', 'put the credential into token or basic'],
  ])('requires a valid URL, not %s', (url, text) => {
    expect(() => createClient({ url })).toThrow(text)
  })

  test('accepts only one kind of credentials', () => {
    const options = { url: 'http://x', token: 'a', cookies: true }
    expect(() => createClient(options)).toThrow('Give one of token, basic and cookies')
  })

  test('fails with UnexpectedAnswer when the response is not JSON', async () => {
    const { url } = await startTestService((response) => response.end('<html>'))
    const calling = createClient({ url }).getProject({ id: 7 })
    await expect(calling).rejects.toThrow(UnexpectedAnswer)
  })

  test('that changes data does not follow a redirect', async () => {
    const { url, heard } = await startTestService((response) => {
      response.writeHead(301, { location: 'https://x.example.org/api/projects' }).end()
    })
    const calling = createClient({ url }).createProject({ body: { name: 'x' } })
    await expect(calling).rejects.toThrow('a redirect to https://x.example.org/api/projects')
    expect(heard).toHaveLength(1)
  })

  test('ends with its signal, even while waiting for a retry', async () => {
    const { url } = await startTestService(json(503, {}, { 'retry-after': '30' }))
    const signal = AbortSignal.timeout(50)
    const calling = createClient({ url }).getProject({ id: 7 }, { signal })
    await expect(calling).rejects.toMatchObject({ name: 'TimeoutError' })
  })
})

describe('in a browser page', () => {
  const inBrowser = async (cookie = '') => {
    vi.stubGlobal('document', { cookie })
    vi.resetModules()
    onTestFinished(() => {
      vi.unstubAllGlobals()
      vi.resetModules()
    })
    return import('../index.ts')
  }

  test('changes carry the CSRF token of the session, reads do not', async () => {
    const page = await inBrowser('a=b; csrftoken=c-1; d=e')
    const { url, heard } = await startTestService(json(200, {}))
    const client = page.createClient({ url, cookies: true })
    await client.getProject({ id: 7 })
    await client.updateProject({ id: 7, body: {} })
    expect(heard.map(({ headers }) => headers['x-csrftoken'])).toEqual([undefined, 'c-1'])
    expect(heard[0]?.headers['user-agent']).not.toContain('reticle')
  })

  test('a streamed body is collected before it is sent', async () => {
    const page = await inBrowser()
    const { url, heard } = await startTestService(json(200, {}))
    async function* items() {
      yield { kind: 'tags' as const, object: { frame: 0, label_id: 1 } }
    }
    await page.createClient({ url }).replaceJobAnnotations({ id: 1, body: items() })
    const body = '{"tags":[{"frame":0,"label_id":1}]}'
    expect(heard[0]).toMatchObject({ body, headers: { 'content-length': String(body.length) } })
  })
})

describe('a call is retried', () => {
  test.each([
    ['reading, after a broken connection', broken],
    ['reading, after 502', json(502, {})],
    ['reading, after 503 that says when', json(503, {}, soon)],
    ['reading, after 429', json(429, {}, soon)],
  ])('%s', async (_, first) => {
    const { url, heard } = await startTestService(first, json(200, project))
    await expect(createClient({ url }).getProject({ id: 7 })).resolves.toEqual(project)
    expect(heard).toHaveLength(2)
  })

  test('when it reads, after an incomplete response', async () => {
    const cut: TestAnswer = (response) => {
      response.writeHead(200, { 'content-length': '100' })
      response.write('{"id"', () => response.destroy())
    }
    const { url } = await startTestService(cut, json(200, project))
    await expect(createClient({ url }).getProject({ id: 7 })).resolves.toEqual(project)
  })

  test('when it creates, under one idempotency key', async () => {
    const { url, heard } = await startTestService(broken, json(502, {}), json(201, project))
    await createClient({ url }).createProject({ body: { name: 'streets' } })
    const keys = heard.map(({ headers }) => headers['idempotency-key'])
    expect(keys).toEqual(Array(3).fill(expect.stringMatching(/^[\da-f-]{36}$/)))
    expect(new Set(keys).size).toBe(1)
    expect(heard[2]?.body).toBe('{"name":"streets"}')
  })

  test('when it creates and the first attempt is still running', async () => {
    const underWay = { ...soon, 'x-error-code': 'idempotency_in_progress' }
    const { url, heard } = await startTestService(json(409, {}, underWay), json(201, project))
    await createClient({ url }).createProject({ body: { name: 'x' } }, { idempotency_key: 'mine' })
    expect(heard.map(({ headers }) => headers['idempotency-key'])).toEqual(['mine', 'mine'])
  })

  test('when it deletes, and then accepts a missing object', async () => {
    const { url } = await startTestService(broken, json(404, { detail: 'Not found.' }))
    await expect(createClient({ url }).deleteProject({ id: 7 })).resolves.toBeUndefined()
  })

  test('when it deletes, but a missing object is an error if no attempt can have succeeded', async () => {
    const { url } = await startTestService(json(429, {}, soon), json(404, { detail: 'Not found.' }))
    await expect(createClient({ url }).deleteProject({ id: 7 })).rejects.toThrow('404')
  })

  test('when it changes data, after 429', async () => {
    const { url, heard } = await startTestService(json(429, {}, soon), json(200, project))
    await createClient({ url }).updateProject({ id: 7, body: { name: 'x' } })
    expect(heard).toHaveLength(2)
  })
})

describe('a call is not retried', () => {
  test.each([
    ['a broken connection', broken],
    ['502', json(502, {})],
    ['503', json(503, {}, soon)],
  ])('when it changes data, after %s, because it may have succeeded', async (_, first) => {
    const { url, heard } = await startTestService(first, json(200, project))
    const calling = createClient({ url }).updateProject({ id: 7, body: { name: 'x' } })
    await expect(calling).rejects.toThrow(/updateProject/)
    expect(heard).toHaveLength(1)
  })

  test('after a rejection', async () => {
    const { url, heard } = await startTestService(
      json(400, { name: ['This field may not be blank.'] }),
    )
    await expect(createClient({ url }).createProject({ body: { name: '' } })).rejects.toThrow('400')
    expect(heard).toHaveLength(1)
  })

  test('when the service requests a pause of an hour', async () => {
    const { url, heard } = await startTestService(json(429, {}, { 'retry-after': '3600' }))
    const calling = createClient({ url }).getProject({ id: 7 })
    await expect(calling).rejects.toMatchObject({ status: 429, retry_after: 3600 })
    expect(heard).toHaveLength(1)
  })

  test('more often than the limit', async () => {
    const { url, heard } = await startTestService(broken)
    const calling = createClient({ url, retries: 2 }).getProject({ id: 7 })
    await expect(calling).rejects.toThrow(ConnectionError)
    await expect(calling).rejects.toThrow(/^getProject got no answer: /)
    expect(heard).toHaveLength(3)
  })
})

describe('an error response', () => {
  const refused = async (status: number, body: unknown, headers?: Record<string, string>) => {
    const { url } = await startTestService(json(status, body, headers))
    return createClient({ url })
      .getProject({ id: 7 })
      .catch((thrown: unknown) => thrown)
  }

  test('has a message for users and fields for programs', async () => {
    const body = { detail: 'Not found.', code: 'not_found', request_id: 'r-1' }
    const error = await refused(404, body)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      name: 'ApiError',
      operation: 'getProject',
      status: 404,
      code: 'not_found',
      detail: 'Not found.',
      fields: {},
      request_id: 'r-1',
      rq_id: null,
      body,
      message: 'getProject was refused with 404: Not found. (request r-1)',
    })
  })

  test('names fields, including nested ones', async () => {
    const labels = [{}, { name: ['Too long.'], attributes: [{ values: ['None.'] }] }]
    const error = await refused(
      400,
      { name: ['Blank.', 'Short.'], labels, non_field_errors: ['Both.'] },
      { 'x-error-code': 'required', 'x-request-id': 'r-2' },
    )
    expect(error).toMatchObject({
      code: 'required',
      detail: 'Both.',
      request_id: 'r-2',
      fields: {
        name: ['Blank.', 'Short.'],
        'labels[1].name': ['Too long.'],
        'labels[1].attributes[0].values': ['None.'],
      },
    })
    expect(String(error)).toContain('Both.; name: Blank. Short.; labels[1].name: Too long.')
  })

  test('can be a list of texts, a conflict with a running request, or a text of a proxy', async () => {
    expect(await refused(400, ['One.', 'Two.'])).toMatchObject({ detail: 'One. Two.' })
    expect(await refused(409, { rq_id: 'action=export' })).toMatchObject({
      rq_id: 'action=export',
      detail: 'the same is under way as action=export',
    })
    const { url } = await startTestService((response) => response.writeHead(413).end('Too large'))
    const error = createClient({ url }).getProject({ id: 7 })
    await expect(error).rejects.toMatchObject({ code: 'http_413', detail: 'Too large' })
  })
})

test('the version of the package equals that of the API', () => {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  expect(JSON.parse(text).version).toBe(apiVersion)
})

describe('a list', () => {
  test('is read page by page, with links to any host', async () => {
    const next = 'https://elsewhere.example.org/api/projects?page=2&page_size=100&name=x'
    const { url, heard } = await startTestService(
      json(200, { count: 3, next, previous: null, results: [{ id: 1 }, { id: 2 }] }),
      json(200, { count: 3, next: null, previous: '', results: [{ id: 3 }] }),
    )
    const ids: number[] = []
    for await (const { id } of createClient({ url, token: 't' }).listProjects.each({ name: 'x' }))
      ids.push(id)
    expect(ids).toEqual([1, 2, 3])
    expect(heard.map(({ path }) => path)).toEqual([
      '/projects?page_size=100&name=x',
      '/projects?page=2&page_size=100&name=x',
    ])
    expect(heard[1]?.headers.authorization).toBe('Token t')
  })

  test('does not request pages that are not read', async () => {
    const page = { count: 9, next: '/api/projects?page=2', previous: null, results: [{ id: 1 }] }
    const { url, heard } = await startTestService(json(200, page))
    for await (const _ of createClient({ url }).listProjects.each()) break
    expect(heard).toHaveLength(1)
  })
})
