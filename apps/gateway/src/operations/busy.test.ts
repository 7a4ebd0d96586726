import { projectRecord, taskRecord } from '@reticle/contracts/testing/records'
import { unavailable } from '@reticle/kit'
import { beforeEach, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

/**
 * The gateway determines whether background work is running before it calls the owner of an object
 * (docs/adr/0022-let-the-gateway-look-up-running-requests.md).
 */
const updates: unknown[] = []
const queries: unknown[] = []
let isDown = false
beforeEach(() => {
  updates.length = 0
  queries.length = 0
  isDown = false
})

const { send } = await startTestGateway({
  services: {
    projects: {
      async updateProject(input) {
        updates.push(input)
        return projectRecord()
      },
    },
    tasks: {
      async updateTask(input) {
        updates.push(input)
        return taskRecord()
      },
    },
    organizations: {
      async deleteOrganization(input) {
        updates.push(input)
        return undefined
      },
    },
    requests: {
      async findRunning(input) {
        if (isDown) throw unavailable('jobs-svc is away')
        queries.push(input)
        return { is_running: input.id === 7 }
      },
    },
  },
})

test.each([
  ['PATCH', '/api/projects/7', { organization_id: null }, 'project', true],
  ['PATCH', '/api/projects/8', { organization_id: 2 }, 'project', false],
  ['PATCH', '/api/tasks/7', { organization_id: 2 }, 'task', true],
  ['DELETE', '/api/organizations/7', undefined, 'organization', true],
] as const)('%s %s %j asks about the %s', async (method, path, body, target, is_busy) => {
  const { status } = await send(path, { method, body })
  expect(status).toBeLessThan(300)
  const id = Number(path.at(-1))
  expect(queries).toEqual([{ target, id }])
  expect(updates).toMatchObject([{ id, is_busy }])
})

test('no service is queried for a body without the key', async () => {
  const { status } = await send('/api/projects/7', { method: 'PATCH', body: { name: 'x' } })
  expect([status, queries]).toEqual([200, []])
  expect(updates[0]).not.toHaveProperty('is_busy')
})

test.each(['/api/organizations/8?is_busy=true', '/api/organizations/8?is_running=true'])(
  'a client cannot set the flag itself: %s',
  async (path) => {
    const body = { is_busy: true }
    expect((await send(path, { method: 'DELETE', body })).status).toBe(204)
    expect(updates).toMatchObject([{ is_busy: false }])
  },
)

test('the call is not made when the query fails', async () => {
  isDown = true
  const body = { organization_id: null }
  expect((await send('/api/projects/7', { method: 'PATCH', body })).status).toBe(503)
  expect(updates).toEqual([])
})
