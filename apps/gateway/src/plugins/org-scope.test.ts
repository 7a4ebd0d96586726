import { expect, test } from 'vitest'
import { testGateway } from '../testing/gateway.ts'

const { send } = await testGateway({
  services: {
    projects: {
      async listProjects() {
        return { count: 0, results: [] }
      },
    },
    requests: {
      async listRequests({ org_id }) {
        return { count: org_id ?? 0, results: [] }
      },
    },
    identity: {
      async listAccessTokens() {
        return { count: 0, results: [] }
      },
    },
  },
})

/** `spec/api-workspace.md` 1.9, while no organization exists. */
test.each([
  ['/api/projects', undefined, 200],
  ['/api/projects?org=', undefined, 200],
  ['/api/projects?org_id=', undefined, 200],
  ['/api/projects', '', 200],
  ['/api/projects?org=', '', 200],
  ['/api/projects?org=nosuch', undefined, 404],
  ['/api/projects?org_id=999999', undefined, 404],
  ['/api/projects', 'nosuch', 404],
  ['/api/projects', 'x'.repeat(300), 404],
  ['/api/projects?org=a', 'a', 404],
  ['/api/projects?org=a', 'b', 400],
  ['/api/projects?org=a', '', 400],
  ['/api/projects?org=a&org_id=1', undefined, 400],
  ['/api/projects?org_id=1', 'a', 400],
  ['/api/projects?org_id=abc', undefined, 400],
  ['/api/projects?org=a&org=b', undefined, 400],
  ['/api/projects?org=a%00', undefined, 400],
  ['/api/auth/access_tokens?org=nosuch', 'other', 200],
  ['/api/requests', 'nosuch', 200],
])('%s with the header %s is %i', async (path, header, status) => {
  const headers: Record<string, string> = header === undefined ? {} : { 'x-organization': header }
  expect((await send(path, { headers })).status).toBe(status)
})

test('the answer names the organization that does not exist', async () => {
  const { json } = await send('/api/projects?org=nosuch')
  expect(json()).toMatchObject({ detail: 'nosuch organization does not exist.', code: 'not_found' })
})

test('of requests the organization is a filter', async () => {
  expect((await send('/api/requests?org_id=5')).json()).toMatchObject({ count: 5 })
})
