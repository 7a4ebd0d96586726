import { restOperations } from '@reticle/contracts'
import { buildOpenapi } from '@reticle/contracts/openapi'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readDocument } from '../e2e/openapi/document.ts'

/** The description of each operation follows from its row in the table and from the rules of the gateway. */

const answer = z.looseObject({
  $ref: z.string().optional(),
  headers: z.record(z.string(), z.unknown()).default({}),
  content: z.record(z.string(), z.looseObject({})).default({}),
})
const call = z.looseObject({
  summary: z.string(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).default([]),
  requestBody: answer.optional(),
  responses: z.record(z.string(), answer),
})
const document = z
  .looseObject({
    paths: z.record(z.string(), z.record(z.string(), call)),
    components: z.looseObject({
      responses: z.record(z.string(), answer),
      examples: z.record(z.string(), z.object({ value: z.unknown() })),
    }),
  })
  .parse(buildOpenapi(restOperations))
const { paths, components } = document

function described(name: string) {
  const [method = '', path = ''] = name.split(' ')
  const found = paths[path]?.[method.toLowerCase()]
  if (!found) throw new Error(`${name} is not described`)
  return found
}
const statusesOf = (name: string) => Object.keys(described(name).responses).map(Number)
const calls = Object.entries(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
)

test('every operation has a summary and the errors that are possible everywhere', () => {
  const everywhere = expect.arrayContaining([400, 401, 429, 503])
  for (const name of calls) {
    expect(statusesOf(name), name).toEqual(everywhere)
    expect(described(name).summary, name).toMatch(/^[A-Z].*[^.]$/)
  }
})

test.each<[string, number[]]>([
  ['GET /server/about', [200, 400, 401, 406, 429, 503]],
  ['GET /docs', [200, 400, 401, 429, 503]],
  ['GET /projects', [200, 400, 401, 403, 404, 406, 429, 503]],
  ['GET /projects/{id}', [200, 304, 400, 401, 403, 404, 406, 429, 503]],
  ['POST /projects', [201, 400, 401, 403, 404, 406, 409, 413, 415, 429, 503]],
  ['PATCH /projects/{id}', [200, 400, 401, 403, 404, 406, 409, 412, 413, 415, 429, 503]],
  ['DELETE /projects/{id}', [204, 400, 401, 403, 404, 406, 409, 412, 415, 429, 503]],
  ['GET /projects/{id}/dataset', [400, 401, 403, 404, 406, 410, 429, 503]],
  ['GET /tasks/{id}/dataset/download', [200, 206, 302, 304, 400, 401, 403, 404, 416, 429, 503]],
  ['POST /tasks/{id}/dataset/export', [202, 400, 401, 403, 404, 405, 406, 409, 413, 415, 429, 503]],
  ['POST /tasks/{id}/data', [200, 201, 202, 400, 401, 403, 404, 406, 409, 412, 413, 415, 429, 503]],
  [
    'PATCH /tasks/{id}/data/{file_id}',
    [204, 400, 401, 403, 404, 406, 409, 412, 413, 415, 429, 503],
  ],
])('%s can be answered %j', (name, statuses) => {
  expect(statusesOf(name)).toEqual(statuses)
})

describe('error descriptions', () => {
  test('errors have a body in each content type that a client may accept', () => {
    const types = ['application/vnd.service+json', 'application/json', 'application/problem+json']
    for (const [name, { content, headers }] of Object.entries(components.responses)) {
      expect(Object.keys(content), name).toEqual(types)
      expect(Object.keys(headers), name).toEqual(
        expect.arrayContaining(['X-Request-Id', 'X-Error-Code']),
      )
    }
  })

  test('errors are described once, and every description is used', () => {
    const used = calls.flatMap((name) =>
      Object.values(described(name).responses).flatMap(({ $ref }) => $ref ?? []),
    )
    const names = [...new Set(used)].map((ref) => ref.replace('#/components/responses/', ''))
    expect(names.toSorted()).toEqual(Object.keys(components.responses).toSorted())
  })
})

test.each([
  ['GET /tasks/{id}/data', ['image/*', 'application/zip']],
  ['GET /events/download', ['text/csv']],
  ['GET /docs', ['text/html']],
  ['GET /requests/stream', ['text/event-stream']],
  ['GET /projects/{id}', ['application/vnd.service+json', 'application/json']],
])('%s returns the content types %j', (name, types) => {
  expect(Object.keys(described(name).responses[200]?.content ?? {})).toEqual(types)
})

test.each([
  ['GET /projects', ['X-Organization', 'org', 'org_id']],
  ['POST /projects', ['X-Organization', 'org', 'org_id', 'Idempotency-Key']],
  ['GET /projects/{id}', ['id', 'If-None-Match']],
  ['GET /tasks/{id}/dataset/download', ['id', 'rq_id', 'If-None-Match', 'Range']],
  ['GET /organizations/{id}', ['id', 'If-None-Match']],
])('%s accepts %j besides the parameters of lists', (name, names) => {
  const own = described(name).parameters.map((one) => one.name)
  expect(own).toEqual(expect.arrayContaining(names))
  expect(new Set(own).size, 'each once').toBe(own.length)
})

describe('examples', () => {
  const { misfit } = readDocument()
  const shown = z.looseObject({
    schema: z.record(z.string(), z.unknown()),
    examples: z.object({ recorded: z.object({ $ref: z.string() }) }).optional(),
  })
  const jsonOf = (one?: z.infer<typeof answer>) =>
    shown.safeParse(one?.content['application/json']).data
  /** Operations without an example, with the reason. */
  const without = {
    'GET /schema: 200': 'the example is the document itself',
    'GET /events: 202': 'the same as 201, which is later',
    FormatDisabled: 'no format is switched off',
    ServerError: 'no call can provoke it',
    Unavailable: 'no call can provoke it',
  }
  const examples = calls.flatMap((name) => {
    const { requestBody, responses } = described(name)
    const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
    return [
      [`${name}: what is sent`, jsonOf(requestBody)] as const,
      ...answers.map(([status, one]) => [`${name}: ${status}`, jsonOf(one)] as const),
    ]
  })
  const failures = Object.entries(components.responses).map(
    ([name, one]) => [name, jsonOf(one)] as const,
  )
  const all = [...examples, ...failures].flatMap(([name, one]) => (one ? [{ name, ...one }] : []))

  test('every JSON request and answer has an example', () => {
    const missing = all.filter(({ examples }) => !examples).map(({ name }) => name)
    expect(missing).toEqual(Object.keys(without))
  })

  test('every example conforms to its schema', () => {
    const wrong = all.flatMap(({ name, schema, examples }) => {
      const example = examples?.recorded.$ref.replace('#/components/examples/', '') ?? ''
      const found = examples && misfit(schema, components.examples[example]?.value)
      return found ? [`${name}: ${found}`] : []
    })
    expect(wrong).toEqual([])
  })

  test('every example is used and small', () => {
    const used = all.flatMap(({ examples }) => examples?.recorded.$ref.split('/').at(-1) ?? [])
    expect(Object.keys(components.examples).filter((name) => !used.includes(name))).toEqual([])
    for (const [name, { value }] of Object.entries(components.examples))
      expect(JSON.stringify(value).length, name).toBeLessThan(4000)
  })
})
