import type { Principal } from '@reticle/contracts/principal'
import { projectRecord } from '@reticle/contracts/testing/records'
import { notFound } from '@reticle/kit'
import { beforeEach, expect, test } from 'vitest'
import { testGateway } from '../testing/gateway.ts'
import { anna } from '../testing/services.ts'

/** Organization 2 is `acme`, where anna is a worker; 3 is `other`, where she is not. */
const known: Record<string, number> = { acme: 2, other: 3 }
/** What the services were told. */
let told: Principal['scope'] | undefined
beforeEach(() => {
  told = undefined
})

const member = { ...anna, organization_roles: { 2: 'worker' as const } }
const { send } = await testGateway({
  services: {
    identity: {
      async authenticate({ authorization }) {
        const role = authorization === 'Token admin' ? 'admin' : 'user'
        return { principal: { ...member, role }, is_deprecated: false }
      },
      async listAccessTokens(_, { principal }) {
        told = principal?.scope
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
        told = principal?.scope
        return { count: 0, results: [] }
      },
      async createProject(_, { principal }) {
        told = principal?.scope
        return projectRecord()
      },
      async getProject(_, { principal }) {
        told = principal?.scope
        return projectRecord()
      },
    },
    requests: {
      async listRequests({ org_id }, { principal }) {
        told = principal?.scope
        return { count: org_id ?? 0, results: [] }
      },
    },
  },
})

const headersOf = (header: string | undefined): Record<string, string> =>
  header === undefined ? {} : { 'x-organization': header }

/** `spec/api-workspace.md` 1.9. */
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
  ['/api/projects/7?org=other', undefined, 3],
  ['/api/auth/access_tokens?org=nosuch', 'other', undefined],
  ['/api/requests', 'nosuch', undefined],
])('%s with the header %s names the workspace %s', async (path, header, workspace) => {
  expect((await send(path, { headers: headersOf(header) })).status).toBe(200)
  expect(told).toEqual(workspace === undefined ? null : { organization_id: workspace })
})

test.each([
  ['/api/projects?org=nosuch', undefined, 404],
  ['/api/projects?org_id=999999', undefined, 404],
  ['/api/projects/7?org_id=999999', undefined, 404],
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
  expect(told).toBeUndefined()
})

test('the answer names the organization that does not exist', async () => {
  const { json } = await send('/api/projects?org=nosuch')
  expect(json()).toMatchObject({ detail: 'nosuch organization does not exist.', code: 'not_found' })
})

test.each([
  ['GET', '/api/projects?org=other', 403],
  ['POST', '/api/projects?org=other', 403],
  ['GET', '/api/projects/7?org=other', 200],
  ['POST', '/api/projects?org=acme', 201],
] as const)('%s %s: lists and creation are for members, %i', async (method, path, status) => {
  const body = method === 'POST' ? { name: 'x' } : undefined
  expect((await send(path, { method, body })).status).toBe(status)
  expect(told === undefined).toBe(status === 403)
})

test('administrators pass', async () => {
  expect((await send('/api/projects?org=other', { as: 'admin' })).status).toBe(200)
  expect(told).toEqual({ organization_id: 3 })
})

test('a shape that does not fit is told before a membership that is missing', async () => {
  expect((await send('/api/projects?org=other', { method: 'POST', body: {} })).status).toBe(400)
})

test('one request leaves no workspace to the next of the same credential', async () => {
  await send('/api/projects?org=acme')
  await send('/api/projects')
  expect(told).toBeNull()
})

test('of requests the organization is a filter', async () => {
  expect((await send('/api/requests?org_id=5')).json()).toMatchObject({ count: 5 })
})
