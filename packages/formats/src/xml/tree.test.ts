import { describe, expect, test } from 'vitest'
import { childOf, childrenOf, readXmlTree, textOf } from './tree.ts'

const read = (text: string | Uint8Array) => readXmlTree(Buffer.from(text), 'a.xml')

test('a document is read as a tree of elements, texts and lines', () => {
  const root = read('<!-- x -->\n<a b="1">\n <c> one </c>\n <d/><c>t<![CDATA[w]]>o</c>\n</a>')
  expect([root.name, root.line]).toEqual(['a', 2])
  expect(root.children.map(({ name, text, line }) => [name, text, line])).toEqual([
    ['c', ' one ', 3],
    ['d', '', 4],
    ['c', 'two', 4],
  ])
  expect(childrenOf(root, 'c').map(({ text }) => text)).toEqual([' one ', 'two'])
  expect([textOf(root, 'c'), textOf(root, 'd'), textOf(root, 'e')]).toEqual(['one', '', undefined])
  expect(childOf(root, 'd')?.children).toEqual([])
})

describe('the encoding of a document', () => {
  const declared = (encoding: string) => `<?xml version="1.0" encoding="${encoding}"?><a>Bär €</a>`
  const latin = (encoding: string) => Buffer.from(declared(encoding).replace('€', '1'), 'latin1')
  const wide = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')

  test.each<[string, Uint8Array, string]>([
    ['UTF-8 where nothing is said', Buffer.from('<a>Bär €</a>'), 'Bär €'],
    ['UTF-8 with a mark', Buffer.from('\ufeff<a>Bär €</a>'), 'Bär €'],
    ['UTF-8 as it says', Buffer.from(declared('UTF-8')), 'Bär €'],
    ['latin-1', latin('ISO-8859-1'), 'Bär 1'],
    ['latin-1 as Python calls it', latin('latin-1'), 'Bär 1'],
    ['windows-1252', Buffer.from(declared('windows-1252').replace('€', '\x80'), 'latin1'), 'Bär €'],
    ['UTF-16', wide(declared('utf-16')), 'Bär €'],
    ['UTF-16, the other end first', wide(declared('UTF-16')).swap16(), 'Bär €'],
    ['UTF-16 without a mark', wide(declared('UTF-16LE')).subarray(2), 'Bär €'],
    ['that of the mark, whatever is declared', Buffer.from(`\ufeff${declared('latin1')}`), 'Bär €'],
  ])('is %s', (_, bytes, text) => {
    expect(read(bytes).text).toBe(text)
  })

  test.each<[string, Uint8Array, string]>([
    [
      'latin-1 under a declaration of UTF-8',
      Buffer.from('<?xml version="1.0" encoding="utf-8"?>\n<a>\nBär</a>', 'latin1'),
      'a.xml: not UTF-8 at line 3',
    ],
    [
      'none that is known',
      Buffer.from(declared('klingon')),
      'a.xml: the encoding "klingon" is not known at line 1',
    ],
    [
      'UTF-16 only by what is declared',
      Buffer.from(declared('UTF-16')),
      'a.xml: declared as UTF-16, but its characters are single bytes at line 1',
    ],
    ['UTF-16 that is cut', wide('<a/>').subarray(0, 9), 'a.xml: not UTF-16LE at line 1'],
  ])('is refused when it is %s', (_, bytes, message) => {
    expect(() => read(bytes)).toThrow(message)
  })
})

test.each([
  ['', 'a.xml: document must contain a root element at line 1'],
  ['<a>\n<b></a>', 'a.xml: unexpected close tag in <a> at line 2'],
  [
    '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>',
    'a.xml: a DOCTYPE with definitions is not allowed at line 1',
  ],
  [`<a>${'<b/>'.repeat(1_000_000)}</a>`, 'a.xml: more than 1000000 elements at line 1'],
])('a document that exceeds a limit is refused: %#', (text, message) => {
  expect(() => read(text)).toThrow(message)
})
