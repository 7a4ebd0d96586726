import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

/** Removed operations (docs/spec/rest.md#deprecated-names). */

const { send } = await startTestGateway()

describe.each([
  ['GET', '/projects/7/dataset', 'POST /projects/{id}/dataset/export'],
  ['GET', '/projects/7/backup', 'POST /projects/{id}/backup/export'],
  ['GET', '/projects/7/annotations', 'POST /projects/{id}/dataset/export'],
  ['GET', '/tasks/12/dataset', 'POST /tasks/{id}/dataset/export'],
  ['GET', '/tasks/12/backup', 'POST /tasks/{id}/backup/export'],
  ['GET', '/jobs/31/dataset', 'POST /jobs/{id}/dataset/export'],
  ['POST', '/projects/backup?rq_id=x', 'GET /requests/{rq_id}'],
  ['POST', '/tasks/backup?rq_id=x', 'GET /requests/{rq_id}'],
  ['GET', '/projects/7/dataset?action=import_status&rq_id=x', 'GET /requests/{rq_id}'],
  ['GET', '/tasks/12/dataset?format=x&action=download', 'POST /tasks/{id}/dataset/export'],
] as const)('%s %s', (method, path, instead) => {
  test('returns 410 and names the replacement', async () => {
    for (const given of [path, path.replace(/(\?|$)/, '/$1')]) {
      const answer = await send(`/api${given}`, { method })
      expect([given, answer.status, answer.headers['x-error-code']]).toEqual([
        given,
        410,
        'endpoint_gone',
      ])
      expect(answer.json()).toMatchObject({
        detail: `This endpoint is no longer supported. Use ${instead}`,
        code: 'endpoint_gone',
      })
    }
  })

  test('requires a signed-in caller', async () => {
    expect((await send(`/api${path}`, { method, as: null })).status).toBe(401)
  })
})

test('an invalid id is not found', async () => {
  expect((await send('/api/tasks/x/backup')).status).toBe(404)
})

test('other methods of such a path return 405', async () => {
  const answer = await send('/api/tasks/12/backup', { method: 'DELETE' })
  expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
})
