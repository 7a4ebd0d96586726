import { once } from 'node:events'
import { expect, test } from 'vitest'
import { startThread } from './thread.ts'

test('a thread starts from TypeScript sources and receives its data', async () => {
  const thread = startThread('../testing/echo-thread', import.meta.url, { data: { n: 7 } })
  const [said] = await once(thread, 'message')
  expect(said).toEqual({ n: 7, code: 'not_found' })
  await thread.terminate()
})
