import { projectRecord } from '@reticle/contracts/testing/records'
import { countTurns } from '@reticle/kit/testing/turns'
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

/** Long pages are serialized in steps, with the same result as at once. */

const pages = { size: 0 }
const record = projectRecord({ name: 'a "quoted", [bracketed] name' })
const { send, url } = await startTestGateway({
  services: {
    projects: {
      async listProjects() {
        const results = Array.from({ length: pages.size }, (_, id) => ({ ...record, id: id + 1 }))
        return { count: pages.size, results }
      },
    },
  },
})

test.each([0, 1, 100, 101, 250, 10_000])(
  'a page of %i records is complete on every mount',
  async (size) => {
    pages.size = size
    for (const mount of ['/api', '/as/cvat/api']) {
      const answer = await send(`${mount}/projects?page_size=all`)
      const { count, next, previous, results } = Object(answer.json())
      expect([answer.status, count, next, previous]).toEqual([200, size, null, null])
      expect(results.map(({ id }: { id: number }) => id)).toEqual(
        Array.from({ length: size }, (_, id) => id + 1),
      )
      for (const one of results.slice(-1)) {
        expect(one).toMatchObject({ name: record.name, url: `${url}${mount}${record.url}` })
      }
    }
  },
)

test('serializing a long page yields to other requests', async () => {
  pages.size = 10_000
  const turns = await countTurns(() => send('/api/projects?page_size=all'))
  pages.size = 1
  const usual = await countTurns(() => send('/api/projects?page_size=all'))
  expect(turns).toBeGreaterThan(usual)
})
