import { expect, test } from 'vitest'
import { createClient } from '../index.ts'
import { broken, json, startTestService, type TestAnswer } from '../testing/service.ts'

const record = (id: string, status: string) => ({ id, status })
const stream =
  (...records: object[]): TestAnswer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(records.map((one) => `event: request\ndata: ${JSON.stringify(one)}\n\n`).join(''))
  }

async function first(count: number, ...answers: TestAnswer[]) {
  const { url, heard } = await startTestService(...answers)
  const seen: string[] = []
  for await (const { id, status } of createClient({ url }).watchRequests()) {
    seen.push(`${id} ${status}`)
    if (seen.length === count) break
  }
  return { seen, paths: heard.map(({ path }) => path) }
}

test('watching requests continues after failures', async () => {
  const { seen, paths } = await first(
    3,
    stream(record('one', 'queued'), record('two', 'started')),
    broken,
    stream(record('one', 'started')),
  )
  expect(seen).toEqual(['one queued', 'two started', 'one started'])
  expect(paths).toEqual(['/requests/stream', '/requests/stream', '/requests/stream'])
})

test('watching ends with an error response or with its signal', async () => {
  await expect(first(1, json(401, { detail: 'Who?' }))).rejects.toMatchObject({ status: 401 })
  const { url } = await startTestService((response) => void response.writeHead(200).flushHeaders())
  const watched = createClient({ url }).watchRequests({ signal: AbortSignal.timeout(50) })
  await expect(watched.next()).rejects.toMatchObject({ name: 'TimeoutError' })
})
