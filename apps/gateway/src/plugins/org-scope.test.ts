import type { Principal } from '@reticle/contracts/rest/principal'
import { projectRecord } from '@reticle/contracts/testing/records'
import { notFound } from '@reticle/kit'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { anna } from '../testing/services.ts'

/** Organization 2 is `acme`, where anna is a worker; 3 is `other`, where she is not a member. */
const known: Record<string, number> = { acme: 2, other: 3 }
/** Scope that the services received. */
let scope: Principal['scope'] | undefined
let onlyOwn: boolean | undefined
beforeEach(() => {
  scope = undefined
  onlyOwn = undefined
})

const member = { ...anna, organization_roles: { 2: 'worker' as const } }
const { send } = await startTestGateway({
  services: {
    identity: {
      async authenticate({ authorization }) {
        const role = authorization === 'Token admin' ? 'admin' : 'user'
        const dialect = authorization === 'Token cvat' ? ('cvat' as const) : undefined
        return { principal: { ...member, role }, is_deprecated: false, dialect }
      },
      async listAccessTokens(_, { principal }) {
        scope = principal?.scope
        return { count: 0, results: [] }
      },
    },
    organizations: {
      async findWorkspace({ slug = '', organization_id }) {
        const id = organization_id ?? known[slug.toLowerCase()]
        if (id === undefined || !Object.values(known).includes(id))
          throw notFound(`${organization_id ?? slug} organization does not exist.`)
        return { organization_id: id }
      },
    },
    projects: {
      async listProjects(_, { principal }) {
        scope = principal?.scope
        onlyOwn = principal?.only_own
        return { count: 0, results: [] }
      },
      async createProject(_, { principal }) {
        scope = principal?.scope
        onlyOwn = principal?.only_own
        return projectRecord()
      },
      async getProject(_, { principal }) {
        scope = principal?.scope
        onlyOwn = principal?.only_own
        return projectRecord()
      },
    },
    requests: {
      async listRequests({ org_id }, { principal }) {
        scope = principal?.scope
        return { count: org_id ?? 0, results: [] }
      },
    },
  },
})

const headersOf = (header: string | undefined): Record<string, string> =>
  header === undefined ? {} : { 'x-organization': header }

/** How a call names its workspace (docs/spec/rest.md#organization-scope). */
test.each<[string, string | undefined, number | null | undefined]>([
  ['/api/projects', undefined, undefined],
  ['/api/projects?org=', undefined, null],
  ['/api/projects?org_id=', undefined, null],
  ['/api/projects', '', null],
  ['/api/projects?org=', '', null],
  ['/api/projects?org=acme', undefined, 2],
  ['/api/projects?org_id=2', undefined, 2],
  ['/api/projects', 'acme', 2],
  ['/api/projects?org=acme', 'acme', 2],
  ['/api/projects/7?org=acme', undefined, 2],
  ['/api/auth/access_tokens?org=nosuch', 'other', undefined],
  ['/api/requests', 'nosuch', undefined],
])('%s with the header %s selects the workspace %s', async (path, header, workspace) => {
  expect((await send(path, { headers: headersOf(header) })).status).toBe(200)
  expect(scope).toEqual(workspace === undefined ? null : { organization_id: workspace })
})

test.each([
  ['/api/projects?org=nosuch', undefined, 404],
  ['/api/projects?org_id=999999', undefined, 404],
  ['/api/projects/7?org_id=999999', undefined, 404],
  ['/api/projects?org=other', undefined, 404],
  ['/api/projects?org_id=3', undefined, 404],
  ['/api/projects', 'other', 404],
  ['/api/projects', 'Other', 404],
  ['/api/projects/7?org=other', undefined, 404],
  ['/api/projects', 'nosuch', 404],
  ['/api/projects', 'x'.repeat(300), 404],
  ['/api/projects?org=a', 'a', 404],
  ['/api/projects?org=a', 'b', 400],
  ['/api/projects?org=acme', '', 400],
  ['/api/projects?org=acme&org_id=2', undefined, 400],
  ['/api/projects?org_id=2', 'acme', 400],
  ['/api/projects?org_id=abc', undefined, 400],
  ['/api/projects?org_id=99999999999', undefined, 400],
  ['/api/projects?org=a&org=b', undefined, 400],
  ['/api/projects?org=a%00', undefined, 400],
])('%s with the header %s is %i', async (path, header, status) => {
  expect((await send(path, { headers: headersOf(header) })).status).toBe(status)
  expect(scope).toBeUndefined()
})

test('the answer names the organization that does not exist', async () => {
  const { json } = await send('/api/projects?org=nosuch')
  expect(json()).toMatchObject({ detail: 'nosuch organization does not exist.', code: 'not_found' })
})

test('an organization of other users looks like a missing one', async () => {
  const refusal = async (path: string, given: Parameters<typeof send>[1] = {}) => {
    const { status, headers, json } = await send(path, given)
    const { request_id: _, ...body } = Object(json())
    return JSON.stringify([status, headers['x-error-code'], body])
  }
  for (const [path, given] of [
    ['/api/projects', {}],
    ['/api/projects', { method: 'POST', body: { name: 'x' } }],
    ['/api/projects', { method: 'POST', body: {} }],
    ['/api/projects/7', {}],
    ['/as/cvat/api/projects', {}],
  ] as const) {
    const byQuery = (slug: string) => refusal(`${path}?org=${slug}`, given)
    const byHeader = (slug: string) =>
      refusal(path, { ...given, headers: { 'x-organization': slug } })
    for (const call of [byQuery, byHeader])
      expect(await call('other')).toBe((await call('nosuch')).replaceAll('nosuch', 'other'))
    const byId = (id: string) => refusal(`${path}?org_id=${id}`, given)
    expect(await byId('3')).toBe((await byId('999999')).replaceAll('999999', '3'))
  }
  expect(scope).toBeUndefined()
})

test('a member creates objects in the organization', async () => {
  const made = await send('/api/projects?org=acme', { method: 'POST', body: { name: 'x' } })
  expect(made.status).toBe(201)
  expect(scope).toEqual({ organization_id: 2 })
})

test('administrators may use any organization', async () => {
  expect((await send('/api/projects?org=other', { as: 'admin' })).status).toBe(200)
  expect(scope).toEqual({ organization_id: 3 })
})

test('a workspace does not persist to the next call with the same credential', async () => {
  await send('/api/projects?org=acme')
  await send('/api/projects')
  expect(scope).toBeNull()
})

describe('only own objects are listed', () => {
  const accept = 'application/vnd.cvat+json'
  test.each<[string, Parameters<typeof send>[1]]>([
    ['/as/cvat/api/projects', {}],
    ['/as/cvat/api/projects/?page_size=500&search=x', {}],
    ['/as/cvat/api/projects', { method: 'HEAD' }],
    ['/as/cvat/api/projects', { as: 'admin' }],
    ['/api/projects', { headers: { accept } }],
    ['/api/projects', { as: 'cvat' }],
  ])('of %s with %o, a list of the dialect without a scope', async (path, sent) => {
    expect((await send(path, sent)).status).toBe(200)
    expect({ scope, onlyOwn }).toEqual({ scope: null, onlyOwn: true })
  })

  test.each<[string, Parameters<typeof send>[1]]>([
    ['/api/projects', {}],
    ['/as/cvat/api/projects?org=', {}],
    ['/as/cvat/api/projects?org=acme', {}],
    ['/as/cvat/api/projects?org_id=2', {}],
    ['/as/cvat/api/projects', { headers: { 'x-organization': 'acme' } }],
    ['/as/cvat/api/projects', { headers: { 'x-organization': '' } }],
    ['/as/cvat/api/projects/7', {}],
    ['/as/cvat/api/projects', { method: 'POST', body: { name: 'x' } }],
  ])('not of %s with %o', async (path, sent) => {
    expect((await send(path, sent)).status).toBeLessThan(300)
    expect(scope).toBeDefined()
    expect(onlyOwn).toBeUndefined()
  })

  test('a list of the dialect does not narrow the next request of the same credential', async () => {
    await send('/as/cvat/api/projects')
    await send('/api/projects')
    expect(onlyOwn).toBeUndefined()
  })
})

test('requests are filtered by the organization', async () => {
  expect((await send('/api/requests?org_id=5')).json()).toMatchObject({ count: 5 })
})
