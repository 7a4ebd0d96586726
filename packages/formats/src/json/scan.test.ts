import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createScanner, isBatch, type ScanOptions, scanArrays } from './scan.ts'

test('members and elements come back in order, whatever the order of the keys', async () => {
  const members = await scanText('{"b":[1,{"x":[2,3]}],"version":0,"info":{"a":"}"},"a":[]}')
  expect(members).toEqual([
    { key: 'b', items: [1, { x: [2, 3] }], first: 0, offset: 5 },
    { key: 'version', value: 0, offset: 31 },
    { key: 'info', value: { a: '}' }, offset: 40 },
    { key: 'a', items: [], first: 0, offset: 54 },
  ])
})

test('a long array comes in batches that know their index and place', async () => {
  const text = JSON.stringify({ n: Array.from({ length: 9 }, (_, index) => ({ index })) })
  const members = await scanText(text, { batchBytes: 30 })
  const batches = members.filter(isBatch)
  expect(batches.length).toBeGreaterThan(2)
  expect(batches.map((batch) => batch.items[0])).toEqual(
    batches.map((batch) => ({ index: batch.first })),
  )
  for (const { offset, first } of batches.slice(1)) {
    expect(text.slice(offset)).toMatch(new RegExp(`^,{"index":${first}}`))
  }
})

test('the result equals JSON.parse for any document in any pieces', async () => {
  const document = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }))
  const blanks = fc.constantFrom(undefined, 1, '\t', ' \r\n')
  await fc.assert(
    fc.asyncProperty(
      document,
      blanks,
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 60 }),
      async (value, indent, pieceBytes, batchBytes) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(Object.fromEntries(await collect(text, pieceBytes, { batchBytes }))).toEqual(
          Object.fromEntries(Object.entries(JSON.parse(text))),
        )
      },
    ),
    { numRuns: 1500 },
  )
})

test('a damaged document is refused exactly when JSON.parse refuses it', async () => {
  const value = { a: [1, 'x\\"', { b: [true, null] }, -2.5e3], c: { d: 'é' }, e: 'f', g: [] }
  const whole = Buffer.from(JSON.stringify(value))
  await fc.assert(
    fc.asyncProperty(
      fc.nat(whole.length - 1),
      fc.option(fc.constantFrom(...'{}[],:"\\0 ')),
      fc.integer({ min: 1, max: 9 }),
      async (at, letter, pieceBytes) => {
        const parts = [whole.subarray(0, at), letter ?? '', whole.subarray(at + 1)]
        const text = Buffer.concat(parts.map((part) => Buffer.from(part))).toString()
        const isRefused = await collect(text, pieceBytes, { batchBytes: 4 }).then(
          () => false,
          () => true,
        )
        expect(isRefused).toBe(!isJsonWithoutRepeats(text))
      },
    ),
    { numRuns: 2000 },
  )
})

describe('a fault is named with its member and byte', () => {
  const cases: [string, string][] = [
    ['', 'the text ends too early at byte 0'],
    ['[1]', 'expected an object at byte 0'],
    ['{"a":[1,2', 'a[1]: the text ends too early at byte 9'],
    ['{"a":[1,2]', 'a: the text ends too early at byte 10'],
    ['{"a":[1,]}', 'a[1]: expected a value at byte 8'],
    ['{"a":[1,{"b":tru}]}', 'a[1]: "tru" is no JSON value at byte 13'],
    ['{"a":[{"b":1]}]}', 'a[0]: expected "," or "}" at byte 12'],
    ['{"a":1,}', 'expected a key in double quotes at byte 7'],
    ['{"a" 1}', 'a: expected ":" after the key at byte 5'],
    ['{"a":}', 'a: expected a value at byte 5'],
    ['{"a":1 "b":2}', 'expected "," or "}" at byte 7'],
    ['{"a":1}x', 'text after the object at byte 7'],
    ['{"a":1,"a":2}', 'the key "a" is given twice at byte 7'],
    ['{"a":["\\x"]}', 'a[0]: unknown escape in a text at byte 7'],
    ['{"a":[01]}', 'a[0]: "01" is no JSON value at byte 6'],
  ]
  test.each(cases)('%s', async (text, message) => {
    await expect(scanText(text)).rejects.toThrow(message)
    await expect(collect(text, 1, {})).rejects.toThrow(message)
  })

  test('also in a later batch', async () => {
    const text = '{"a":[1111,2222,3333,]}'
    await expect(scanText(text, { batchBytes: 4 })).rejects.toThrow('expected a value at byte 21')
  })
})

test('a byte order mark is skipped', async () => {
  expect(await scanText('\ufeff{"a":1}')).toEqual([{ key: 'a', value: 1, offset: 8 }])
})

test('bytes that are no UTF-8 are refused', async () => {
  const bytes = Buffer.from('{"a":["\xff"]}', 'latin1')
  await expect(drain(scanArrays([bytes]))).rejects.toThrow('not UTF-8 in the part that starts')
})

test('members that are not wanted are walked over', async () => {
  const text = '{"a":[1,{"]":"]}"}],"b":{"c":"}"},"d":"\\"","e":7,"f":[8]}'
  const wanted = (key: string): boolean => key === 'f'
  expect([...(await collect(text, 2, { wanted }))]).toEqual([['f', [8]]])
})

test('a fault in them is named as well as it can be', async () => {
  const wanted = (): boolean => false
  await expect(collect('{"a":[[1,2],[3', 3, { wanted })).rejects.toThrow(
    'a[1]: the text ends too early at byte 14',
  )
})

test('nesting, texts and elements have limits', async () => {
  const deep = `{"a":${'['.repeat(64)}`
  await expect(scanText(deep)).rejects.toThrow('nested deeper than 64 levels at byte 68')
  const text = `{"a":["${'x'.repeat(40)}"]}`
  await expect(scanText(text, { maxTextBytes: 20 })).rejects.toThrow('a: text longer than 20 bytes')
  const item = `{"a":[${'1'.repeat(40)}`
  await expect(collect(item, 8, { maxItemBytes: 20 })).rejects.toThrow('a: larger than 20 bytes')
})

test('a large piece is handed out batch by batch', () => {
  const scanner = createScanner()
  const text = JSON.stringify({ a: Array.from({ length: 200_000 }, (_, index) => index) })
  const first = scanner.feed(Buffer.from(text)).next()
  expect(first.done).toBe(false)
  expect(first.value?.first).toBe(0)
})

// ---- support

function scanText(text: string, options: ScanOptions = {}) {
  return drain(scanArrays([Buffer.from(text)], options))
}

async function drain<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = []
  for await (const value of stream) seen.push(value)
  return seen
}

/** The document put together again from pieces of the given size. */
async function collect(text: string, pieceBytes: number, options: ScanOptions) {
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes),
  )
  const document = new Map<string, unknown>()
  const lengths = new Map<string, unknown[]>()
  for await (const member of scanArrays(pieces, options)) {
    if (!isBatch(member)) {
      document.set(member.key, member.value)
      continue
    }
    const items = lengths.get(member.key) ?? []
    expect(member.first).toBe(items.length)
    lengths.set(member.key, [...items, ...member.items])
    document.set(member.key, lengths.get(member.key))
  }
  return document
}

function isJsonWithoutRepeats(text: string): boolean {
  try {
    const keys: string[] = []
    const value: unknown = JSON.parse(text)
    // `"a":…,"a":…` cannot come from one changed byte here but by renaming a key to another.
    for (const [, key] of text.matchAll(/"([aceg])":/g)) keys.push(key ?? '')
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && new Set(keys).size === keys.length
  } catch {
    return false
  }
}
