import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseLarge } from './large.ts'
import { MembersError, ScanError, scanArrays } from './scan.ts'

/** Counts pauses: between two of them only a few small parts are parsed. */
function countPauses() {
  const pauses = { count: 0 }
  const pause = async () => {
    pauses.count++
  }
  return { pauses, pause }
}

const partOf = (text: string) => ({ bytes: Buffer.from(text), offset: 0, path: ['shapes'] })
const options = { maxMembers: 1000, pause: async () => undefined, smallBytes: 8 }

test('the result equals JSON.parse for any value, in parts of any size', async () => {
  const anyValue = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' })
  const blanks = fc.constantFrom(undefined, 1, '\t')
  await fc.assert(
    fc.asyncProperty(
      anyValue,
      blanks,
      fc.integer({ min: 1, max: 60 }),
      async (value, indent, smallBytes) => {
        const text = JSON.stringify(value, undefined, indent)
        const parsed = await parseLarge(partOf(text), { ...options, smallBytes })
        expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)))
      },
    ),
    { numRuns: 300 },
  )
})

test.each([
  '[1,2,3,4,5,6,]',
  '[1,,2,3,4,5,6]',
  '[,1,2,3,4,5,6]',
  '[1,2,3,4,5,6}',
  '{"a":1,"b":2,}',
  '{"a":1,,"b":2}',
  '{"aaaaaaaaaaa" 1}',
  '{"aaaaaaaaaaa":}',
  '{11111111111111:1}',
  '{"a":[1,2,3,4,5,6]]}',
  '[1,2,3,4] [5,6,7,8]',
  '[[1,2,3,4],[5,6,7,8]',
  '[[1,2,3,4,5,6] 1]',
  '["a\\x11111111111"]',
  '[12345678901234567890x]',
  '{"a":1 "b":2,"c":3}',
  'truetruetruetrue',
])('%s is refused like by JSON.parse', async (text) => {
  expect(() => JSON.parse(text)).toThrow()
  await expect(parseLarge(partOf(text), options)).rejects.toBeInstanceOf(ScanError)
})

test.each([
  ['a list of numbers', `[${'1,'.repeat(20)}1]`, ['shapes']],
  ['a list with texts between its numbers', `[${'1,1,"",'.repeat(7)}1]`, ['shapes']],
  ['a list of objects', `[${'{},'.repeat(20)}{}]`, ['shapes']],
  ['keys', `{${Array.from({ length: 21 }, (_, n) => `"k${n}":1`).join()}}`, ['shapes']],
  ['points of the second shape', `[{},{"points":[${'1,'.repeat(20)}1]}]`, ['shapes', 4, 'points']],
  [
    'attributes of an element',
    `[{"elements":[{"attributes":[${'[],'.repeat(20)}1]}]}]`,
    ['shapes', 3, 'elements', 0, 'attributes'],
  ],
])('%s beyond the limit are refused with their place', async (_name, text, path) => {
  const attempt = parseLarge(partOf(text), { ...options, maxMembers: 20 }, 3)
  const refusal = await attempt.catch((thrown) => thrown)
  expect(refusal).toBeInstanceOf(MembersError)
  expect(refusal).toMatchObject({ path, most: 20 })
})

test('a text with commas and brackets counts as one member', async () => {
  const text = JSON.stringify([',,,,,,,,,,,,,,,,[[[[[[', '"\\,,,{{{'])
  expect(await parseLarge(partOf(text), { ...options, maxMembers: 2 })).toEqual(JSON.parse(text))
})

test('a list with too many members is refused before the rest is parsed', async () => {
  const { pauses, pause } = countPauses()
  const text = `[${'1,'.repeat(5_000_000)}1]`
  const attempt = parseLarge(partOf(text), { maxMembers: 200_000, pause })
  await expect(attempt).rejects.toBeInstanceOf(MembersError)
  expect(pauses.count).toBeLessThan(30) // of 610 parts
})

test.each([
  ['numbers', '1'],
  ['objects', '{"frame":0,"points":[1,2,3,4]}'],
  ['texts', `"${'a'.repeat(20)}"`],
])('a list of many small %s is parsed with a pause for each part of it', async (_, item) => {
  const { pauses, pause } = countPauses()
  const text = `[${Array.from({ length: 20_000 }, () => item)}]`
  for (const whole of [text, `{"track":{"shapes":${text}}}`]) {
    pauses.count = 0
    await parseLarge(partOf(whole), { maxMembers: 200_000, pause })
    expect(pauses.count).toBeGreaterThanOrEqual(Math.floor(text.length / 17_000))
  }
})

test('nested lists cannot make the number of passes grow without limit', async () => {
  const text = `${'['.repeat(40)}${'1,'.repeat(100)}1${']'.repeat(40)}`
  await expect(parseLarge(partOf(text), options)).rejects.toThrow('nested too deep')
})

/** A small shape, a large one and another small one, so that a batch begins after a large element. */
const points = Array.from({ length: 150_000 }, (_, index) => index)
const set = { version: 1, shapes: [{ id: 1 }, { id: 2, points }, { id: 3 }], tags: [{ id: 4 }] }

async function* piecesOf(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size))
}

test.each([1000, 65_536, 10_000_000])(
  'a scan in pieces of %i bytes yields large elements with small ones',
  async (size) => {
    const found: unknown[] = []
    const firsts: number[] = []
    for await (const member of scanArrays(piecesOf(JSON.stringify(set), size))) {
      if (!('items' in member) || member.key !== 'shapes') continue
      firsts.push(member.first)
      found.push(...member.items)
    }
    expect(found).toEqual(set.shapes)
    expect(firsts).toEqual([0, 2])
  },
)

test('a scan pauses between its pieces and within a large element', async () => {
  const { pauses, pause } = countPauses()
  const text = JSON.stringify(set)
  for await (const _ of scanArrays([Buffer.from(text)], { pause }));
  expect(pauses.count).toBeGreaterThanOrEqual(2 * Math.floor(text.length / 70_000))
})

test('a scan refuses too many members in an element at any index, and in a root value', async () => {
  const scan = async (text: string) => {
    for await (const _ of scanArrays(piecesOf(text, 65_536), { maxMembers: 149_999 }));
  }
  await expect(scan(JSON.stringify(set))).rejects.toMatchObject({ path: ['shapes', 1, 'points'] })
  const later = { shapes: [...Array.from({ length: 40_000 }, () => ({})), { points }] }
  await expect(scan(JSON.stringify(later))).rejects.toMatchObject({
    path: ['shapes', 40_000, 'points'],
  })
  const keys = Object.fromEntries(points.map((one) => [`k${one}`, 1]))
  await expect(scan(JSON.stringify({ shapes: keys }))).rejects.toMatchObject({ path: ['shapes'] })
})

/** Pieces of an unfinished element of several megabytes, and the number of bytes consumed. */
function endlessPieces(start: string, item: string) {
  const taken = { bytes: 0 }
  async function* pieces() {
    yield Buffer.from(start)
    const piece = Buffer.from(item.repeat(Math.ceil(65_536 / item.length)))
    for (; taken.bytes < 40_000_000; taken.bytes += piece.length) yield piece
  }
  return { taken, pieces }
}

test.each([
  ['points', '{"shapes":[{},{"points":[', '1,', ['shapes', 1, 'points']],
  ['attributes', '{"shapes":[{"attributes":[', '{},', ['shapes', 0, 'attributes']],
  [
    'lists of lists',
    '{"tracks":[{"shapes":[{"x":[[1],',
    '[1,[2]],',
    ['tracks', 0, 'shapes', 0, 'x'],
  ],
  ['texts', '{"shapes":[{"a":[', '",[{",', ['shapes', 0, 'a']],
  ['keys', '{"shapes":[{"a":{', '"k":1,', ['shapes', 0, 'a']],
  ['keys of a root value', '{"shapes":{', '"k":[],', ['shapes']],
])(
  'an element with too many %s is refused before the rest of it arrives',
  async (_, start, item, path) => {
    const { taken, pieces } = endlessPieces(start, item)
    const scan = async () => {
      for await (const _ of scanArrays(pieces(), { maxMembers: 20_000 }));
    }
    await expect(scan()).rejects.toMatchObject({ path, most: 20_000 })
    expect(taken.bytes).toBeLessThan(1_000_000)
  },
)

test('the bytes of an element are counted only a few times, however many pieces it arrives in', async () => {
  const { pauses, pause } = countPauses()
  const text = JSON.stringify({ shapes: [{ text: 'a'.repeat(500_000) }, { points }, { points }] })
  for await (const _ of scanArrays(piecesOf(text, 1000), { maxMembers: 200_000, pause }));
  expect(pauses.count).toBeLessThan(text.length / 1000 + (4 * text.length) / 16_384)
})
