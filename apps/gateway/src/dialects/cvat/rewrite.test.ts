import { expect, test } from 'vitest'
import { type Rewrite, rewriteShapes } from './rewrite.ts'

/** Rewrites a document in pieces of `size` bytes. */
async function run(given: string | Buffer, rewrite: Rewrite, size = 1 << 20): Promise<string> {
  const bytes = Buffer.from(given)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }
  const out: Uint8Array[] = []
  for await (const piece of rewriteShapes(pieces(), rewrite)) out.push(piece)
  return Buffer.concat(out).toString('latin1')
}

const seen: string[] = []
const upper: Rewrite = {
  concerns: () => true,
  change(object) {
    seen.push(object.toString())
    return object.includes('drop') ? null : object.toString().toUpperCase()
  },
}
const same: Rewrite = { concerns: () => true, change: () => undefined }

const document = JSON.stringify({
  version: 0,
  shapes: [{ a: 1, elements: [{ b: '}]"\\' }] }, { drop: 1 }, { c: [[1], [2]] }],
  tags: [{ shapes: 'text' }, { x: { shapes: [{ d: 1 }] } }],
  tracks: [{ shapes: [{ drop: 1 }, { e: 1 }], elements: [{ shapes: [{ drop: 1 }] }] }],
})
const rewritten = JSON.stringify({
  version: 0,
  shapes: [{ A: 1, ELEMENTS: [{ B: '}]"\\' }] }, { C: [[1], [2]] }],
  tags: [{ shapes: 'text' }, { x: { shapes: [{ D: 1 }] } }],
  tracks: [{ shapes: [{ E: 1 }], elements: [{ shapes: [] }] }],
})

test.each([1, 2, 3, 5, 7, 16, 64, 1000])(
  'objects in lists named shapes are changed or dropped, in pieces of %i bytes',
  async (size) => {
    expect(await run(document, upper, size)).toBe(rewritten)
  },
)

test('an object is passed to the change as a whole, including nested lists', async () => {
  seen.length = 0
  await run(document, upper, 3)
  expect(seen.map((one) => JSON.parse(one))).toEqual([
    { a: 1, elements: [{ b: '}]"\\' }] },
    ...[{ drop: 1 }, { c: [[1], [2]] }, { d: 1 }, { drop: 1 }, { e: 1 }, { drop: 1 }],
  ])
})

test('objects in pieces without relevant content are skipped, except those split between pieces', async () => {
  const rare: Rewrite = { ...upper, concerns: (bytes) => bytes.includes('rare') }
  const given = '{"shapes":[{"rare":1},{"a":1},{"ra'
  async function* pieces() {
    yield Buffer.from(given)
    yield Buffer.from('re":2},{"b":1}]}')
  }
  let text = ''
  for await (const piece of rewriteShapes(pieces(), rare)) text += Buffer.from(piece)
  expect(text).toBe('{"shapes":[{"RARE":1},{"A":1},{"RARE":2},{"b":1}]}')
})

test.each([
  ['{"shapes":[ {"a":1} , {"a":2} ]}', '{"shapes":[ {"A":1} , {"A":2} ]}'],
  ['{ "shapes" : [{"a":1}]}', '{ "shapes" : [{"A":1}]}'],
  ['{"\\u0073hapes":[{"a":1}]}', '{"\\u0073hapes":[{"A":1}]}'],
  ['{"sha\\u0070es ":[{"a":1}]}', '{"sha\\u0070es ":[{"a":1}]}'],
  ['{"x":"shapes","y":[{"a":1}]}', '{"x":"shapes","y":[{"a":1}]}'],
  ['{"shapes":{"y":[{"a":1}]}}', '{"shapes":{"y":[{"a":1}]}}'],
  ['{"shapes":[{"drop":1},{"drop":2},{"a":1},{"drop":3}]}', '{"shapes":[{"A":1}]}'],
])('%s becomes %s', async (given, wanted) => {
  for (const size of [1, 2, 100]) expect(await run(given, upper, size)).toBe(wanted)
})

test.each([
  ['nothing', ''],
  ['a word', 'nope'],
  ['a body that is cut', '{"shapes":[{"type":"ell'],
  ['a text without end', '{"shapes":[{"a":"'],
  ['brackets that close nothing', ']}]{"shapes":[}]'],
  ['commas too many', '{"shapes":[,{"a":1},,{"b":2},]}'],
  ['no objects', '{"shapes":[1,[{"a":1}],"x",null]}'],
  ['other bytes', Buffer.from([0xff, 0x22, 0xfe, 0x5c, 0x22, 0x5b])],
])('%s passes unchanged', async (_, given) => {
  for (const size of [1, 4, 100])
    expect(await run(given, same, size)).toBe(Buffer.from(given).toString('latin1'))
})

test('an object above the size limit passes unchanged, in constant memory', async () => {
  const much = Buffer.alloc(1 << 20, '1,')
  let passed = 0
  async function* pieces() {
    yield Buffer.from('{"shapes":[{"points":[')
    for (let at = 0; at < 80; at++) yield much
    yield Buffer.from('1]},{"a":1}]}')
  }
  let end = ''
  for await (const piece of rewriteShapes(pieces(), upper)) {
    passed += piece.length
    end = Buffer.from(piece).toString('latin1').slice(-12)
  }
  expect(passed).toBe(80 * much.length + 22 + 13)
  expect(end).toBe('},{"A":1}]}'.padStart(12, ']'))
})
