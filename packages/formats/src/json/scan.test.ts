import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createScanner, isBatch, type ScanOptions, scanArrays } from './scan.ts'

test('members and elements are yielded in document order', async () => {
  const members = await scanText('{"b":[1,{"x":[2,3]}],"version":0,"info":{"a":"}"},"a":[]}')
  expect(members).toEqual([
    { key: 'b', items: [1, { x: [2, 3] }], first: 0, offset: 5 },
    { key: 'version', value: 0, offset: 31 },
    { key: 'info', value: { a: '}' }, offset: 40 },
    { key: 'a', items: [], first: 0, offset: 54 },
  ])
})

test('a long array is yielded in batches with their index and offset', async () => {
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

/** Short and long texts with all characters of UTF-8. */
const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
)
const anyValue = fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' })
const anyDocument = fc.dictionary(anyText, anyValue)
/**
 * Positions where a stream is cut, as fractions of its length: anywhere, also within a character or twice at one
 * place.
 */
const borders = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 30 })
const blanks = fc.constantFrom(undefined, 1, '\t', ' \r\n')

test('the result equals JSON.parse for any document in any pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyDocument,
      blanks,
      borders,
      fc.integer({ min: 1, max: 60 }),
      async (value, indent, cuts, batchBytes) => {
        const text = JSON.stringify(value, undefined, indent)
        expect(Object.fromEntries(await collect(text, cuts, { batchBytes }))).toEqual(
          Object.fromEntries(Object.entries(JSON.parse(text))),
        )
      },
    ),
    { numRuns: 1500 },
  )
})

test('unwanted members are not yielded, for any pieces', async () => {
  await fc.assert(
    fc.asyncProperty(anyDocument, borders, async (value, cuts) => {
      const selects = (key: string): boolean => key.length % 2 === 0
      const kept = Object.entries(JSON.parse(JSON.stringify(value))).filter(([key]) => selects(key))
      const seen = await collect(JSON.stringify(value), cuts, { selects })
      expect(Object.fromEntries(seen)).toEqual(Object.fromEntries(kept))
    }),
    { numRuns: 500 },
  )
})

test('a document with any bytes changed is refused exactly when JSON.parse refuses it', async () => {
  const byte = fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}[],:"\\0 -.eE1tn')))
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    bytes: fc.array(byte, { maxLength: 2 }),
    skipped: fc.nat(2),
  })
  let refused = 0
  await fc.assert(
    fc.asyncProperty(
      anyDocument,
      blanks,
      fc.array(change, { minLength: 1, maxLength: 2 }),
      borders,
      async (value, indent, changes, cuts) => {
        let bytes = Buffer.from(JSON.stringify(value, undefined, indent))
        for (const { at, bytes: other, skipped } of changes) {
          const place = Math.floor(at * bytes.length)
          const rest = bytes.subarray(place + skipped)
          bytes = Buffer.concat([bytes.subarray(0, place), Buffer.from(other), rest])
        }
        const fault = await collect(bytes, cuts, { batchBytes: 8 }).then(
          () => undefined,
          ({ message }: Error) => message,
        )
        if (fault) refused++
        if (isDocument(bytes)) expect(fault ?? 'is given twice').toMatch(/is given twice/)
        else expect(fault).toBeTypeOf('string')
      },
    ),
    { numRuns: 3000 },
  )
  expect(refused).toBeGreaterThan(1000)
  expect(refused).toBeLessThan(2900)
})

describe('a fault is reported with its member and byte', () => {
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
    await expect(collect(text, everywhere(text), {})).rejects.toThrow(message)
  })

  test('a fault in a later batch', async () => {
    const text = '{"a":[1111,2222,3333,]}'
    await expect(scanText(text, { batchBytes: 4 })).rejects.toThrow('expected a value at byte 21')
  })
})

test('a byte order mark is skipped', async () => {
  expect(await scanText('\ufeff{"a":1}')).toEqual([{ key: 'a', value: 1, offset: 8 }])
})

test('invalid UTF-8 is refused', async () => {
  const bytes = Buffer.from('{"a":["\xff"]}', 'latin1')
  await expect(drain(scanArrays([bytes]))).rejects.toThrow('not UTF-8 in the part that starts')
})

test('unwanted members are skipped', async () => {
  const text = '{"a":[1,{"]":"]}"}],"b":{"c":"}"},"d":"\\"","e":7,"f":[8]}'
  const selects = (key: string): boolean => key === 'f'
  expect([...(await collect(text, everywhere(text), { selects }))]).toEqual([['f', [8]]])
})

test('a fault in an unwanted member is reported with an approximate place', async () => {
  const selects = (): boolean => false
  await expect(collect('{"a":[[1,2],[3', [0.3, 0.5], { selects })).rejects.toThrow(
    'a[1]: the text ends too early at byte 14',
  )
})

test('nesting, texts and elements have limits', async () => {
  const deep = `{"a":${'['.repeat(64)}`
  await expect(scanText(deep)).rejects.toThrow('nested deeper than 64 levels at byte 68')
  const text = `{"a":["${'x'.repeat(40)}"]}`
  await expect(scanText(text, { maxTextBytes: 20 })).rejects.toThrow('a: text longer than 20 bytes')
  const item = `{"a":[${'1'.repeat(40)}`
  await expect(collect(item, everywhere(item), { maxItemBytes: 20 })).rejects.toThrow(
    'a: larger than 20 bytes',
  )
})

test('a large piece is yielded batch by batch', () => {
  const scanner = createScanner()
  const text = JSON.stringify({ a: Array.from({ length: 200_000 }, (_, index) => index) })
  const first = scanner.feed(Buffer.from(text)).next()
  expect(first.done).toBe(false)
  expect(first.value?.first).toBe(0)
})

// ---- helpers

function scanText(text: string, options: ScanOptions = {}) {
  return drain(scanArrays([Buffer.from(text)], options))
}

async function drain<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const seen: T[] = []
  for await (const value of stream) seen.push(value)
  return seen
}

/** Cuts after every byte of an ASCII text. */
const everywhere = (text: string) => Array.from(text, (_, index) => index / text.length)

/** Reassembles the document from the members that a scanner yields when the document is cut at `borders`. */
async function collect(given: string | Buffer, borders: readonly number[], options: ScanOptions) {
  const bytes = Buffer.from(given)
  const ends = borders.map((part) => Math.floor(part * bytes.length)).sort((a, b) => a - b)
  const pieces = [...ends, bytes.length].map((end, index) =>
    bytes.subarray(ends[index - 1] ?? 0, end),
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

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Returns whether the bytes are a JSON object in UTF-8, optionally with a byte order mark. */
function isDocument(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
