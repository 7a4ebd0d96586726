import { testDb } from '@reticle/kit/testing/db'
import { expect, test } from 'vitest'
import { annotationHandlers } from '../annotations/rpc.ts'
import { migrations } from '../db/migrations/index.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import { bodyOf, openService, readAnswer, user } from '../testing/workspace.ts'

/** Bad request bodies: docs/spec/reliability.md#bad-input */

const db = await testDb<AnnotationsDb>(migrations, 'annotations')
const { deps, service, setUp } = openService(db)

const box = { type: 'rectangle', frame: 2, label_id: 40, points: [1, 2, 3, 4] }
const parse_error = 'parse_error'

test.each([
  ['a body that is cut', '{"shapes":['],
  ['NaN', '{"version":NaN}'],
  ['a number that is none', '{"shapes":[{"points":[NaN]}]}'],
  ['single quotes', "'x'"],
  ['a word', 'nope'],
  ['a sign', '-'],
  ['a comma too many', '{"shapes":[],}'],
  ['two documents', '{}{}'],
  ['a member twice', '{"shapes":[],"shapes":[]}'],
  ['65 levels', `{"shapes":${'['.repeat(65)}${']'.repeat(65)}}`],
  ['400,000 levels', `{"shapes":${'['.repeat(400_000)}`],
  [
    'broken UTF-8',
    Buffer.concat([Buffer.from('{"shapes":["'), Buffer.from([0xff]), Buffer.from('"]}')]),
  ],
])('%s is a JSON parse error', async (_name, given) => {
  const { job_id, job } = setUp()
  async function* bytes() {
    yield Buffer.from(given)
  }
  const attempt = service.replaceJobAnnotations({ id: job_id, body: bytes() }, user())
  await expect(attempt).rejects.toMatchObject({
    code: parse_error,
    message: expect.stringMatching(/^JSON parse error - .* at byte \d+$/),
  })
  expect((await job.get()).etag).toMatch(/-0"$/)
})

test.each([
  ['null', 'null'],
  ['[]', 'list'],
  [' "x"', 'str'],
  ['-3', 'number'],
  ['false', 'bool'],
])('%s is rejected because it is not an object', async (given, type) => {
  await expect(setUp().job.put(given)).rejects.toMatchObject({
    body: { non_field_errors: [`Invalid data. Expected a dictionary, but got ${type}.`] },
  })
})

test.each([
  [{ version: 'x' }, { version: ['A valid integer is required.'] }],
  [{ version: [] }, { version: ['A valid integer is required.'] }],
  [{ shapes: null }, { shapes: ['This field may not be null.'] }],
  [{ tags: {} }, { tags: ['Expected a list of items but got type "dict".'] }],
  [{ tracks: 'x' }, { tracks: ['Expected a list of items but got type "str".'] }],
  [{ intervals: [{}] }, { intervals: ['Intervals are not supported.'] }],
])('%j is rejected', async (given, body) => {
  await expect(setUp().job.put(given)).rejects.toMatchObject({ body })
})

test('unknown members and members named like prototypes are ignored', async () => {
  const { job } = setUp()
  const shape =
    '{"type":"rectangle","frame":2,"label_id":40,"points":[1,2,3,4],"__proto__":{"x":1},"clientID":7}'
  const text = `{"intervals":[],"version":3,"__proto__":{"x":1},"constructor":{"prototype":{"x":1}},"shapes":[${shape}]}`
  const { set } = await job.put(text)
  expect(set.version).toBe(0)
  expect(set.shapes).toHaveLength(1)
  expect(Reflect.get({}, 'x')).toBeUndefined()
})

test('a request with too many objects is rejected and nothing is changed', async () => {
  const { job, job_id } = setUp()
  const { etag } = await job.put({ shapes: [box] })
  const settings = { ...deps.settings, maxObjects: 3 }
  const strict = annotationHandlers({ ...deps, settings })
  const body = bodyOf({ tags: [{ frame: 0, label_id: 40 }], shapes: [box, box, box] })
  await expect(strict.replaceJobAnnotations({ id: job_id, body }, user())).rejects.toMatchObject({
    kind: 'too_large',
    code: 'too_many_objects',
  })
  expect((await job.get()).etag).toBe(etag)
})

test('a set is parsed correctly at any chunk boundary', async () => {
  const { job_id } = setUp()
  const set = { shapes: [{ ...box, attributes: [{ spec_id: 91, value: 'Škoda 日本' }] }] }
  for (const size of [1, 2, 3, 7]) {
    const input = { id: job_id, body: bodyOf(set, size) }
    const { set: stored } = await readAnswer(service.replaceJobAnnotations(input, user()))
    expect(stored.shapes[0]?.attributes[1]?.value).toBe('Škoda 日本')
  }
})
