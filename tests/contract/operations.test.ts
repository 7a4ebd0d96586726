import { restOperations } from '@reticle/contracts/api/index'
import { describe, expect, test } from 'vitest'

/** Every operation that the contract names (`spec/service-api.md`, Endpoints), and the ones it says exist. */
const ofContract = [
  'GET /projects',
  'POST /projects',
  'GET /projects/{id}',
  'PATCH /projects/{id}',
  'DELETE /projects/{id}',
  'POST /projects/{id}/dataset/export',
  'POST /projects/{id}/dataset/',
  'POST /projects/{id}/backup/export',
  'POST /projects/backup/',
  'GET /projects/{id}/preview',

  'GET /tasks/{id}/annotations/',
  'GET /jobs/{id}/annotations/',
  'PATCH /tasks/{id}/annotations/',
  'PATCH /jobs/{id}/annotations/',
  'PUT /tasks/{id}/annotations/',
  'PUT /jobs/{id}/annotations/',
  'DELETE /tasks/{id}/annotations/',
  'DELETE /jobs/{id}/annotations/',
  'POST /tasks/{id}/annotations/',
  'POST /jobs/{id}/annotations/',
  'POST /tasks/{id}/dataset/export',
  'GET /server/annotation/formats',

  'GET /requests/{rq_id}',

  'POST /webhooks',
  'POST /webhooks/{id}/ping',
  'GET /webhooks',
  'GET /webhooks/{id}',
  'PATCH /webhooks/{id}',
  'DELETE /webhooks/{id}',
  'GET /webhooks/{id}/deliveries',
  'POST /webhooks/{id}/deliveries/{delivery_id}/redelivery',

  'GET /tasks',
  'POST /tasks',
  'GET /tasks/{id}',
  'PATCH /tasks/{id}',
  'DELETE /tasks/{id}',
  'GET /jobs',
  'POST /jobs',
  'GET /jobs/{id}',
  'PATCH /jobs/{id}',
  'DELETE /jobs/{id}',

  'POST /events/export',
  'GET /events',
]

/** What is not there yet, and the issue that brings it. A line goes when its row comes. */
const missing: Record<string, string> = {}

/** One trailing slash is optional everywhere (`spec/api-workspace.md` 1.1). */
const spelt = (name: string) => name.replace(/\/$/, '')
const present = new Set(
  restOperations.map(({ method, path }) =>
    spelt(`${method} ${path.replace(/:(\w+)/g, (_, name) => `{${name}}`)}`),
  ),
)
const isPresent = (name: string) => present.has(spelt(name))

test.each(ofContract.filter((name) => !(name in missing)))('%s is in a table', (name) => {
  expect(isPresent(name)).toBe(true)
})

describe('what is listed as missing', () => {
  test.each(Object.keys(missing))('is still missing: %s', (name) => {
    expect(isPresent(name)).toBe(false)
  })

  test('is an operation of the contract', () => {
    expect(Object.keys(missing).filter((name) => !ofContract.includes(name))).toEqual([])
  })
})

test('no two rows answer the same request', () => {
  const routes = restOperations.map(({ method, path }) =>
    spelt(`${method} ${path.replace(/:\w+/g, ':id')}`),
  )
  expect(routes.filter((route, index) => routes.indexOf(route) !== index)).toEqual([])
})

test('no two rows have the same name', () => {
  const names = restOperations.map((one) => one.name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test.each(restOperations.map((one) => [one.name, one] as const))(
  '%s: the placeholders of the path are its params',
  (_, { path, params }) => {
    const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    expect(Object.keys(params?.shape ?? {}).sort()).toEqual(inPath.sort())
  },
)

test.each(restOperations.map((one) => [one.name, one] as const))(
  '%s: no name means two things in the input',
  (_, { params, query, headers }) => {
    const names = [params, query, headers].flatMap((part) => Object.keys(part?.shape ?? {}))
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  },
)
