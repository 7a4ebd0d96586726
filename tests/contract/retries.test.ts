import { restOperations } from '@reticle/contracts'
import { isBytes, type Operation, takesKey } from '@reticle/contracts/api/operation'
import { buildOpenapi } from '@reticle/contracts/openapi'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

/** Idempotency keys and conditional changes over the whole operation table: which operations accept them. */

const nameOf = ({ method, path }: Operation) => `${method} ${path}`
const names = (operations: readonly Operation[]) => operations.map(nameOf)
const parameters = z.looseObject({
  parameters: z.array(z.looseObject({ in: z.string(), name: z.string() })).optional(),
})
const paths = z
  .record(z.string(), z.record(z.string(), parameters))
  .parse(buildOpenapi(restOperations).paths)
const documented = ({ method, path }: Operation) =>
  (paths[path.replace(/:(\w+)/g, '{$1}')]?.[String(method).toLowerCase()]?.parameters ?? [])
    .filter((one) => one.in === 'header')
    .map((one) => one.name)

describe('Idempotency-Key', () => {
  const creates = ({ method, success }: Operation) =>
    method === 'POST' && (success === 201 || success === 202)
  const isSet = ({ method, path, body }: Operation) =>
    ['PUT', 'PATCH'].includes(String(method)) && /\/annotations\/$/.test(path) && isBytes(body)
  const restores = ({ path }: Operation) => path.endsWith('/restore')

  test('every POST that creates accepts it, and so do changes of annotations', () => {
    const expected = restOperations.filter(
      (one) => one.access !== 'anyone' && (creates(one) || isSet(one) || restores(one)),
    )
    expect(names(expected.filter((one) => !takesKey(one)))).toEqual([])
    expect(names(expected)).toEqual(
      expect.arrayContaining([
        'POST /projects',
        'POST /tasks',
        'POST /jobs',
        'POST /issues',
        'POST /comments',
        'POST /guides',
        'POST /webhooks',
        'POST /organizations',
        'POST /invitations',
        'POST /auth/access_tokens',
        'POST /events/export',
        'POST /tasks/:id/dataset/export',
        'POST /tasks/:id/data',
        'POST /jobs/:id/annotations/',
        'PUT /jobs/:id/annotations/',
        'PATCH /tasks/:id/annotations/',
        'POST /jobs/:id/annotations/revisions/:revision/restore',
      ]),
    )
  })

  test('no other operation accepts it', () => {
    const others = restOperations.filter(
      (one) => !creates(one) && !restores(one) && !isBytes(one.body),
    )
    expect(names(others.filter(takesKey))).toEqual([])
    expect(names(restOperations.filter((one) => one.access === 'anyone' && takesKey(one)))).toEqual(
      [],
    )
  })

  test.each(restOperations.map((one) => [nameOf(one), one] as const))(
    'the document of %s lists it if it is accepted',
    (_, one) => {
      expect(documented(one).includes('Idempotency-Key')).toBe(takesKey(one))
    },
  )
})

describe('If-Match', () => {
  /** Whether GET of the same path returns a record with an entity tag. */
  const hasTag = ({ path }: Operation) => {
    const read = restOperations.find((one) => one.method === 'GET' && one.path === path)
    return read?.etag !== undefined
  }
  const changes = restOperations.filter((one) =>
    ['PATCH', 'PUT', 'DELETE'].includes(`${one.method}`),
  )
  const ofTagged = changes.filter(hasTag)

  test('every answered record with an update date has an entity tag of the kind that its fields permit', () => {
    const has = (field: string) => (one: Operation) =>
      one.answer instanceof z.ZodObject && field in one.answer.shape
    const dated = restOperations.filter(has('id')).filter(has('updated_date'))
    const expected = (one: Operation) => (has('revision')(one) ? 'revision' : 'date')
    expect(names(dated.filter((one) => one.etag !== expected(one)))).toEqual([])
    const others = restOperations.filter((one) => one.etag && !dated.includes(one))
    expect(names(others.filter(({ etag }) => etag !== 'content'))).toEqual([])
  })

  test('every change of a resource with an entity tag honours it', () => {
    const deaf = ofTagged.filter(({ headers }) => !('if_match' in (headers?.shape ?? {})))
    expect(names(deaf)).toEqual([])
    const resources = ofTagged.map(({ path }) => path.replace(/^\/(?:auth\/)?(\w+)\/:id$/, '$1'))
    expect([...new Set(resources)]).toEqual(
      expect.arrayContaining([
        ...['projects', 'tasks', 'jobs', 'labels', 'issues', 'comments', 'guides', 'webhooks'],
        ...['organizations', 'memberships', 'access_tokens'],
      ]),
    )
  })

  test('every operation that honours it has an entity tag or is part of a resource with one', () => {
    const honouring = changes
      .filter(({ headers }) => 'if_match' in (headers?.shape ?? {}))
      .map((one) => ({ ...one, path: one.path.replace(/\/data\/meta$/, '') }))
    const isSet = ({ path }: Operation) => path.endsWith('/annotations/')
    expect(names(honouring.filter((one) => !hasTag(one) && !isSet(one)))).toEqual([])
  })
})
