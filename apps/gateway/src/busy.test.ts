import { projectRecord, taskRecord } from '@reticle/contracts/testing/records'
import { unavailable } from '@reticle/kit'
import { beforeEach, expect, test } from 'vitest'
import { testGateway } from './testing/gateway.ts'

/**
 * The gateway determines whether background work is running before it calls the owner of an object
 * (docs/adr/0022-let-the-gateway-look-up-running-requests.md).
 */
const told: unknown[] = []
const asked: unknown[] = []
let isDown = false
beforeEach(() => {
  told.length = 0
  asked.length = 0
  isDown = false
})

const { send } = await testGateway({
  services: {
    projects: {
      async updateProject(input) {
        told.push(input)
        return projectRecord()
      },
    },
    tasks: {
      async updateTask(input) {
        told.push(input)
        return taskRecord()
      },
    },
    organizations: {
      async deleteOrganization(input) {
        told.push(input)
        return undefined
      },
    },
    requests: {
      async findRunning(input) {
        if (isDown) throw unavailable('jobs-svc is away')
        asked.push(input)
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
  expect(asked).toEqual([{ target, id }])
  expect(told).toMatchObject([{ id, is_busy }])
})

test('no service is queried for a body without the key', async () => {
  const { status } = await send('/api/projects/7', { method: 'PATCH', body: { name: 'x' } })
  expect([status, asked]).toEqual([200, []])
  expect(told[0]).not.toHaveProperty('is_busy')
})

test.each(['/api/organizations/8?is_busy=true', '/api/organizations/8?is_running=true'])(
  'a client cannot set the flag itself: %s',
  async (path) => {
    const body = { is_busy: true }
    expect((await send(path, { method: 'DELETE', body })).status).toBe(204)
    expect(told).toMatchObject([{ is_busy: false }])
  },
)

test('the call is not made when the query fails', async () => {
  isDown = true
  const body = { organization_id: null }
  expect((await send('/api/projects/7', { method: 'PATCH', body })).status).toBe(503)
  expect(told).toEqual([])
})
