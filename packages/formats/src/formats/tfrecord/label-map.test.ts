import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FormatError } from '../../report/errors.ts'
import { readLabelMap, writeLabelMap } from './label-map.ts'

const read = (text: string) => [...readLabelMap(Buffer.from(text), 'label_map.pbtxt')]

test('a label map is written with ids from 1, and with escaped quotes and backslashes', () => {
  expect(writeLabelMap(['car', "it's", 'a\\b', 'Straße'])).toBe(
    `item {\n\tid: 1\n\tname: 'car'\n}\n\n` +
      `item {\n\tid: 2\n\tname: 'it\\'s'\n}\n\n` +
      `item {\n\tid: 3\n\tname: 'a\\\\b'\n}\n\n` +
      `item {\n\tid: 4\n\tname: 'Straße'\n}\n\n`,
  )
  expect(writeLabelMap([])).toBe('')
})

test.each([
  ['fields in any order, either quote', `item { name: "car" id: 3 }`, [[3, 'car']]],
  ['a display name where there is no other', `item{id:1 display_name:'car'}`, [[1, 'car']]],
  [
    'an id of a knowledge base for a name',
    `item { name: "/m/0k4j" id: 1 display_name: "car" } item { name: "/m/01" id: 2 }`,
    [
      [1, 'car'],
      [2, '/m/01'],
    ],
  ],
  ['both names', `item { id: 1 display_name: 'Car' name: 'car' }`, [[1, 'car']]],
  [
    'other brackets and separators',
    `item: < id: 1, name: "a"; >; item { id: 2 }`,
    [
      [1, 'a'],
      [2, ''],
    ],
  ],
  [
    'comments, carriage returns, a byte order mark',
    `\ufeff# all\r\nitem {\r\n id: 1 # one\r\n name: 'a'\r\n}`,
    [[1, 'a']],
  ],
  [
    'what it has no use for',
    `item { id: 1 name: 'a' keypoints { id: 7 label: "}" } ids: [1, 2] }`,
    [[1, 'a']],
  ],
  ['escapes', String.raw`item { id: 1 name: 'it\'s \"\n\303\237\x41' }`, [[1, `it's "\nßA`]]],
  [
    'id 0 and ids with gaps',
    `item { id: 0 name: 'x' } item { id: 90 name: 'y' }`,
    [
      [0, 'x'],
      [90, 'y'],
    ],
  ],
  ['nothing', ' \n', []],
])('a label map is read with %s', (_, text, names) => {
  expect(read(text)).toEqual(names)
})

test.each([
  ['an item without end', `item {\n id: 1`, 'label_map.pbtxt: the text is cut off at line 2'],
  ['something else', 'names = a', 'expected item, found names at line 1'],
  ['an item without id', `\nitem {\n name: 'a'\n}`, 'the item has no id at line 2'],
  ['an id that is none', `item { id: x }`, 'the item has no id at line 1'],
  ['an id twice', `item { id: 1 }\nitem { id: 1 }`, 'the id 1 is given twice at line 2'],
  ['a text without end', `item { id: 1 name: 'a\n}`, `unexpected ' at line 1`],
  ['no item', 'item 1', 'expected {, found 1 at line 1'],
  ['a sign for a name', 'item { : 1 }', 'expected a field, found : at line 1'],
])('a label map with %s is refused by its line', (_, text, reason) => {
  expect(() => read(text)).toThrow(FormatError)
  expect(() => read(text)).toThrow(reason)
})

test('a written label map is read back with any label names', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 })), (names) => {
      expect(read(writeLabelMap(names))).toEqual(names.map((name, index) => [index + 1, name]))
    }),
  )
})

test('any text is read as a label map or refused with a FormatError', () => {
  const words = fc.constantFrom(
    'item',
    '{',
    '}',
    '<',
    '[',
    ']',
    ':',
    'id',
    'name',
    '1',
    `'a'`,
    '"',
    '\\',
    '\n',
    '#',
  )
  fc.assert(
    fc.property(fc.array(words), (parts) => {
      try {
        read(parts.join(' '))
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError)
      }
    }),
    { numRuns: 2000 },
  )
})
