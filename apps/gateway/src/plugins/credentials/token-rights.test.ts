import { projectRecord } from '@reticle/contracts/testing/records'
import { expect, test } from 'vitest'
import { startTestGateway } from '../../testing/gateway.ts'

/** Permissions of access tokens, in addition to those of their users (docs/spec/access.md#access-tokens). */

const { send } = await startTestGateway({
  services: {
    projects: {
      getProject: async () => projectRecord(),
      updateProject: async () => projectRecord(),
      deleteProject: async () => undefined,
    },
    requests: {
      exportTaskDataset: async () => ({ rq_id: 'x' }),
      exportJobDataset: async () => ({ rq_id: 'x' }),
      exportEvents: async () => ({ rq_id: 'x' }),
    },
  },
})
const exports = ['tasks/1', 'jobs/31'].map(
  (place) => `/api/${place}/dataset/export?format=COCO%201.0`,
)
const cloud = '&location=cloud_storage&cloud_storage_id=9&filename=a.zip'
/** Valid bodies, because an invalid body is refused before a missing permission. */
const bodies: Record<string, object> = {
  '/api/events': { timestamp: '2026-03-01T10:00:00Z' },
  '/api/users/3': { first_name: 'x' },
}

test.each<[string, 'GET' | 'HEAD' | 'POST' | 'PATCH' | 'DELETE', string, number, number]>([
  ['read', 'GET', '/api/projects/7', 200, 200],
  ['read', 'HEAD', '/api/projects/7', 200, 200],
  ...exports.map((url): [string, 'POST', string, number, number] => [
    'export',
    'POST',
    url,
    202,
    202,
  ]),
  ['export', 'POST', '/api/events/export', 202, 202],
  ...exports.map((url): [string, 'POST', string, number, number] => [
    'export into a cloud storage',
    'POST',
    url + cloud,
    403,
    202,
  ]),
  ['change', 'PATCH', '/api/projects/7', 403, 200],
  ['delete', 'DELETE', '/api/projects/7', 403, 204],
  ['tell events', 'POST', '/api/events', 403, 403],
  ['change a user', 'PATCH', '/api/users/3', 403, 403],
  ['delete a user', 'DELETE', '/api/users/3', 403, 403],
  ['make a token', 'POST', '/api/auth/access_tokens', 403, 403],
  ['change a token', 'PATCH', '/api/auth/access_tokens/1', 403, 403],
  ['revoke a token', 'DELETE', '/api/auth/access_tokens/1', 403, 403],
])(
  'to %s: %s %s returns %i to a read-only token, %i to a token that may write',
  async (_, method, url, reading, writing) => {
    const sent =
      method === 'PATCH' || method === 'POST'
        ? { method, body: bodies[url] ?? { name: 'x' } }
        : { method }
    expect((await send(url, { ...sent, as: 'reader' })).status).toBe(reading)
    expect((await send(url, { ...sent, as: 'writer' })).status).toBe(writing)
  },
)
