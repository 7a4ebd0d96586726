import { projectRecord } from '@reticle/contracts/testing/records'
import { describe, expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

const { send } = await startTestGateway({
  services: {
    projects: {
      async getProject() {
        return projectRecord()
      },
      async deleteProject() {
        return undefined
      },
    },
    requests: {
      async exportTaskDataset() {
        return { rq_id: 'x' }
      },
    },
    identity: {
      async signOut() {
        return { detail: 'Successfully logged out.' }
      },
      async deleteAccessToken() {
        return undefined
      },
    },
  },
})

/** Permissions of access tokens (docs/spec/access.md#access-tokens). */
describe.each<[string, string, 'GET' | 'HEAD' | 'POST' | 'DELETE', number, number, number]>([
  ['reading', '/api/projects/7', 'GET', 200, 200, 200],
  ['reading heads', '/api/projects/7', 'HEAD', 200, 200, 200],
  ['writing', '/api/projects/7', 'DELETE', 403, 204, 204],
  ['exporting', '/api/tasks/1/dataset/export', 'POST', 202, 202, 202],
  ['signing out', '/api/auth/logout', 'POST', 200, 200, 200],
  ['revoking a token', '/api/auth/access_tokens/1', 'DELETE', 403, 403, 204],
])('%s', (_what, path, method, reader, writer, password) => {
  test.each([
    ['reader', reader],
    ['writer', writer],
    ['anna', password],
  ])('as %s returns %i', async (as, status) => {
    expect((await send(path, { method, as })).status).toBe(status)
  })
})
