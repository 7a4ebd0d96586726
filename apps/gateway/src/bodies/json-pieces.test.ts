import { countTurns } from '@reticle/kit/testing/turns'
import { describe, expect, test } from 'vitest'
import { assertStorable, readJson } from './json-body.ts'
import { parseInPieces } from './json-pieces.ts'

const parse = (text: string) => parseInPieces(Buffer.from(text), assertStorable)
async function* bytesOf(text: string) {
  yield Buffer.from(text)
}

const repeat = (item: string, count: number) => `${`${item},`.repeat(count - 1)}${item}`
const keys = (count: number, value = '1') =>
  Array.from({ length: count }, (_, n) => `"${n.toString(36)}":${value}`).join()
const longText = `"${'a, '.repeat(40)}"`
/** Longer than a piece that is parsed at once. */
const filler = repeat('1', 20_000)

const documents: [name: string, text: string][] = [
  ['many keys', `{${keys(10_000, longText)}}`],
  ['many keys of many objects', `[${repeat(`{${keys(180)}}`, 1000)}]`],
  ['many keys below a key', `{"a":{"b":{${keys(10_000, longText)}}}}`],
  ['many numbers', `[${repeat('1', 190_000)}]`],
  ['many texts', `[${repeat('"a, [b] {c} \\" \\\\"', 80_000)}]`],
  ['lists in lists', `[${repeat(`[${filler}]`, 9)}]`],
  ['blanks around everything', ` \n[ ${repeat(' { "a" : [ 1 , 2 ] } \t', 30_000)} ] \r`],
]

test.each(documents)(
  '%s are parsed in steps, with the result of JSON.parse',
  async (_name, text) => {
    let parsed: unknown
    const turns = await countTurns(async () => {
      parsed = await readJson(bytesOf(text))
    })
    expect(parsed).toStrictEqual(JSON.parse(text))
    expect(turns).toBeGreaterThan(2)
  },
)

test.each([
  ['a long text', `"${'a'.repeat(50_000)}"`],
  ['a long key', `{"${'k'.repeat(50_000)}":[1]}`],
  ['a key with escapes before a long value', `{"a\\"\\u0041":[${filler}],"b":2}`],
  ['a key that is given again', `{"a":1,"b":[${filler}],"a":[${filler}],"b":3}`],
  ['an empty list that is long', `[${' '.repeat(50_000)}]`],
  ['an empty object that is long', `{${' '.repeat(50_000)}}`],
  ['a mark at the beginning', `\uFEFF[${filler}]`],
  ['other alphabets', `["${'ä😀'.repeat(9000)}",${repeat('"ä"', 9000)}]`],
  ['nothing but a number', '12'],
  ['a short list', '[1, {"a": null}]'],
])('%s is parsed with the result of JSON.parse', async (_name, text) => {
  expect(await parse(text)).toStrictEqual(JSON.parse(text.replace(/^\uFEFF/, '')))
})

describe('a body is refused as invalid JSON for', () => {
  test.each([
    ['an empty item', `[${filler},,1]`],
    ['an empty item between large ones', `[[${filler}],,[${filler}]]`],
    ['a comma at the end', `[[${filler}],]`],
    ['a comma at the beginning', `[,[${filler}]]`],
    ['only a comma', `[${' '.repeat(50_000)},${' '.repeat(50_000)}]`],
    ['an item without a comma', `[[${filler}] 1]`],
    ['two documents', `[${filler}] , [${filler}]`],
    ['two documents side by side', `[${filler}][${filler}]`],
    ['another bracket at the end', `[${filler}}`],
    ['another bracket within', `[[${filler}},1]`],
    ['a list that does not end', `[[${filler}]`],
    ['a bracket too many', `[[${filler}]]]`],
    ['a text that does not end', `[${filler},"a]`],
    ['a text that ends with a backslash', `[${filler},"a\\"]`],
    ['a value instead of a member', `{"a":[${filler}],1}`],
    ['a member without a value', `{"a":[${filler}],"b":}`],
    ['a large value without a key', `{[${filler}]}`],
    ['a large value whose key is no text', `{1:[${filler}]}`],
    ['a large value without a colon', `{"a"[${filler}]}`],
    ['a mark within', `[${filler},\uFEFF1]`],
    ['a mark before a large item', `[1,\uFEFF[${filler}]]`],
    ['blanks that JSON does not know', `[${filler},\u00A01]`],
  ])('%s', async (_name, text) => {
    await expect(parse(text)).rejects.toMatchObject({ kind: 'invalid', code: 'parse_error' })
  })
})

test.each([
  ['a number that is not finite', `{"a":[${filler},1e999]}`, { a: { 20000: expect.anything() } }],
  [
    'a null character',
    `{"a":[{"b":[${filler}]},{"c":"\\u0000"}]}`,
    { a: [{}, { c: expect.anything() }] },
  ],
])('%s is refused at its path', async (_name, text, body) => {
  const error = await parse(text).catch((thrown) => thrown)
  expect(error).toMatchObject({ kind: 'invalid', body })
})

test.each([
  `{"__proto__":[${filler}]}`,
  `{"a":[${filler}],"__proto__":{"b":1}}`,
  `{"constructor":{"a":[${filler}],"prototype":{}}}`,
  `{"constructor":{"prototype":[${filler}]}}`,
])('a key that refers to a prototype is refused', async (text) => {
  await expect(parse(text)).rejects.toThrow('is not allowed')
  expect(Object.hasOwn(Object.prototype, 'b')).toBe(false)
})

test('bytes that are not UTF-8 are refused', async () => {
  const bytes = Buffer.concat([Buffer.from(`["`), Buffer.from([0xc3]), Buffer.from(`",${filler}]`)])
  await expect(parseInPieces(bytes, assertStorable)).rejects.toThrow('not UTF-8')
})
