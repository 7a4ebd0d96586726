import fc from 'fast-check'
import { expect, test } from 'vitest'
import { linesIn, linesOf } from './text-lines.ts'

async function* cut(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function readLines(pieces: AsyncIterable<Uint8Array>) {
  const lines: { text: string; line: number }[] = []
  for await (const some of linesIn(pieces, 'a.txt')) lines.push(...some)
  return lines
}

test.each([
  ['a\nb\n', ['a', 'b']],
  ['a\r\nb', ['a', 'b']],
  ['\ufeffcar \t\n\n über\n', ['car', '', ' über']],
  ['', []],
  ['\n', ['']],
])('%j is split into the lines %j', (text, expected) => {
  const lines = linesOf(Buffer.from(text), 'a.txt')
  expect(lines.map((one) => one.text)).toEqual(expected)
  expect(lines.map(({ line }) => line)).toEqual(expected.map((_, index) => index + 1))
})

test('the lines of a file do not depend on the size of the pieces', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' })),
      fc.integer({ min: 1, max: 9 }),
      async (texts, size) => {
        const bytes = Buffer.from(texts.join('\r\n'))
        expect(await readLines(cut(bytes, size))).toEqual(linesOf(bytes, 'a.txt'))
      },
    ),
  )
})

test('invalid UTF-8 and a line without end are refused with their line', async () => {
  const bytes = Buffer.from([0x61, 0x0a, 0xff, 0x0a])
  expect(() => linesOf(bytes, 'a.txt')).toThrow('a.txt: the text is not UTF-8')
  const endless = cut(Buffer.alloc(3 * 1_048_576, 'x'), 65_536)
  await expect(readLines(endless)).rejects.toThrow(
    'a.txt: longer than 1048576 characters at line 1',
  )
})

test('a format can set a shorter limit, for the last line as well', async () => {
  const text = 'car\n12345678\n'
  expect(() => linesOf(Buffer.from(text), 'a.txt', 7)).toThrow(
    'a.txt: longer than 7 characters at line 2',
  )
  expect(() => linesOf(Buffer.from('123456789'), 'a.txt', 7)).toThrow('at line 1')
  expect(linesOf(Buffer.from(text), 'a.txt', 8)).toHaveLength(2)
})
