import { projectRecord } from '@reticle/contracts/testing/records'
import { countTurns } from '@reticle/kit/testing/turns'
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'
import { mostValues, readJson } from './json-body.ts'

/** JSON bodies with as many values as fit: refused by their number, or reported by their first errors. */

const bugs: unknown[] = []
let created = 0
const { send } = await startTestGateway({
  bugs,
  services: {
    projects: {
      async createProject({ body }) {
        created = body.labels?.length ?? 0
        return projectRecord({ name: body.name })
      },
    },
  },
})

const repeat = (item: string, count: number) => `${`${item},`.repeat(count - 1)}${item}`
const post = (path: string, body: string) =>
  send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

const keys = (count: number) =>
  Array.from({ length: count }, (_, n) => `"${n.toString(36)}":1`).join()

test.each([
  ['numbers', 'values', `{"name":"a","labels":[${repeat('1', 300_000)}]}`],
  ['objects', 'values', `{"name":"a","labels":[${repeat('{}', 150_000)}]}`],
  ['lists in lists', 'values', `{"name":"a","labels":[${repeat('[[1]]', 80_000)}]}`],
  ['objects with keys', 'values', `{"name":"a","labels":[${repeat(`{${keys(9000)}}`, 25)}]}`],
  ['keys', 'keys', `{${keys(10_001)}}`],
  ['keys below a key', 'keys', `{"name":"a","labels":[{"x":{"y":[{},{${keys(10_001)}}]}}]}`],
  ['keys behind lists', 'keys', `{"a":[${repeat('1', 50_000)}],${keys(10_000)}}`],
  ['equal keys', 'keys', `{${repeat('"a":[1,2]', 10_001)}}`],
])('a body with too many %s is refused by the number of %s', async (_name, unit, body) => {
  const most = { values: 'more than 200000 values', keys: 'more than 10000 keys' }[unit]
  for (const mount of ['/api', '/as/cvat/api']) {
    const answer = await post(`${mount}/projects`, body)
    expect(answer.status).toBe(413)
    expect(answer.headers['x-error-code']).toBe('payload_too_large')
    expect(answer.text).toContain(most)
  }
})

test.each([
  ['labels', `{"name":"a","labels":[${repeat('1', 190_000)}]}`],
  ['attributes', `{"name":"a","labels":[{"name":"b","attributes":[${repeat('1', 190_000)}]}]}`],
  [
    'values',
    `{"name":"a","labels":[{"name":"b","attributes":[{"values":[${repeat('[]', 90_000)}]}]}]}`,
  ],
])('only the first of many invalid %s are reported', async (_name, body) => {
  const answer = await post('/api/projects', body)
  expect(answer.status).toBe(400)
  expect(answer.text.length).toBeLessThan(20_000)
  expect(bugs).toEqual([])
})

test('commas and brackets in texts are not counted as values', async () => {
  const name = '[{,'.repeat(60)
  const values = JSON.stringify(Array.from({ length: 2000 }, () => '[[[{{{,,,'.repeat(20)))
  const body = `{"name":${JSON.stringify(name)},"labels":[{"name":"b","attributes":[{"values":${values}}]}]}`
  expect((await post('/api/projects', body)).status).toBe(201)
})

test('10,000 labels with one attribute each are accepted while other requests run', async () => {
  const label = '{"name":"a","attributes":[{"name":"b","input_type":"text"}]}'
  const body = `{"name":"a","labels":[${repeat(label, 10_000)}]}`
  const turns = await countTurns(async () => {
    expect((await post('/api/projects', body)).status).toBe(201)
  })
  expect(created).toBe(10_000)
  expect(turns).toBeGreaterThan(3)
})

test('values are counted exactly', async () => {
  const read = async (text: string) =>
    readJson(
      (async function* () {
        yield Buffer.from(text)
      })(),
    )
  expect(await read(`[${repeat('1', mostValues)}]`)).toHaveLength(mostValues)
  await expect(read(`[${repeat('1', mostValues + 1)}]`)).rejects.toMatchObject({
    kind: 'too_large',
  })
})
