import { restOperations } from '@reticle/contracts/api/index'
import { describe, expect, test } from 'vitest'

/** Every operation of the REST interface. */
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

/** Operations that do not exist yet, with a reason. Remove a line when its operation is added. */
const missing: Record<string, string> = {}

/** A trailing slash is optional everywhere. */
const spelt = (name: string) => name.replace(/\/$/, '')
const present = new Set(
  restOperations.map(({ method, path }) =>
    spelt(`${method} ${path.replace(/:(\w+)/g, (_, name) => `{${name}}`)}`),
  ),
)
const isPresent = (name: string) => present.has(spelt(name))

test.each(ofContract.filter((name) => !(name in missing)))(
  '%s is in an operation table',
  (name) => {
    expect(isPresent(name)).toBe(true)
  },
)

describe('operations listed as missing', () => {
  test.each(Object.keys(missing))('%s is still missing', (name) => {
    expect(isPresent(name)).toBe(false)
  })

  test('every listed operation is part of the interface', () => {
    expect(Object.keys(missing).filter((name) => !ofContract.includes(name))).toEqual([])
  })
})

test('no two operations match the same request', () => {
  const routes = restOperations.map(({ method, path }) =>
    spelt(`${method} ${path.replace(/:\w+/g, ':id')}`),
  )
  expect(routes.filter((route, index) => routes.indexOf(route) !== index)).toEqual([])
})

test('no two operations have the same name', () => {
  const names = restOperations.map((one) => one.name)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})

test.each(restOperations.map((one) => [one.name, one] as const))(
  'the placeholders in the path of %s equal its parameters',
  (_, { path, params }) => {
    const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)
    expect(Object.keys(params?.shape ?? {}).sort()).toEqual(inPath.sort())
  },
)

test.each(restOperations.map((one) => [one.name, one] as const))(
  'no name has two meanings in the input of %s',
  (_, { params, query, headers }) => {
    const names = [params, query, headers].flatMap((part) => Object.keys(part?.shape ?? {}))
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  },
)
