import { restOperations } from '@reticle/contracts'
import { openapi } from '@reticle/contracts/openapi'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

/** What the document says of each call follows from its row and from the rules of the gateway: `spec/api-workspace.md` 1. */

const answer = z.looseObject({
  $ref: z.string().optional(),
  headers: z.record(z.string(), z.unknown()).default({}),
  content: z.record(z.string(), z.looseObject({})).default({}),
})
const call = z.looseObject({
  summary: z.string(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).default([]),
  responses: z.record(z.string(), answer),
})
const document = z
  .looseObject({
    paths: z.record(z.string(), z.record(z.string(), call)),
    components: z.looseObject({ responses: z.record(z.string(), answer) }),
  })
  .parse(openapi(restOperations))
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

test('every call says what it is, and what goes wrong with any', () => {
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
])('%s may answer %j', (name, statuses) => {
  expect(statusesOf(name)).toEqual(statuses)
})

describe('failures', () => {
  test('have a body under each of the types that a client may ask for', () => {
    const types = ['application/vnd.service+json', 'application/json', 'application/problem+json']
    for (const [name, { content, headers }] of Object.entries(components.responses)) {
      expect(Object.keys(content), name).toEqual(types)
      expect(Object.keys(headers), name).toEqual(
        expect.arrayContaining(['X-Request-Id', 'X-Error-Code']),
      )
    }
  })

  test('are described once, and every description is used', () => {
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
])('%s answers %j', (name, types) => {
  expect(Object.keys(described(name).responses[200]?.content ?? {})).toEqual(types)
})

test.each([
  ['GET /projects', ['X-Organization', 'org', 'org_id']],
  ['POST /projects', ['X-Organization', 'org', 'org_id', 'Idempotency-Key']],
  ['GET /projects/{id}', ['id', 'If-None-Match']],
  ['GET /tasks/{id}/dataset/download', ['id', 'rq_id', 'If-None-Match', 'Range']],
  ['GET /organizations/{id}', ['id', 'If-None-Match']],
])('%s takes %j beside what lists take', (name, names) => {
  const own = described(name).parameters.map((one) => one.name)
  expect(own).toEqual(expect.arrayContaining(names))
  expect(new Set(own).size, 'each once').toBe(own.length)
})
