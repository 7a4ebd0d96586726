import { describe, expect, test } from 'vitest'
import { createXmlScanner, XmlError } from './scan.ts'

/** What a document says, as one line an event; texts of every element are wanted unless told otherwise. */
function read(text: string | Uint8Array, { cut = Infinity, wantsText = true } = {}): string[] {
  const events: string[] = []
  const pieces: string[] = []
  const told = (event: string): void => {
    if (pieces.length > 0) events.push(`"${pieces.splice(0).join('')}"`)
    events.push(`${scanner.line()} ${event}`)
  }
  const scanner = createXmlScanner({
    wantsText,
    open: (name, attributes) => {
      const given = ['a', 'b', 'ß'].flatMap((key) => {
        const value = attributes.get(key)
        return value === undefined ? [] : [`${key}=${value}`]
      })
      told([`<${name}`, ...given].join(' '))
    },
    close: (name) => told(`/${name}`),
    text: (piece) => pieces.push(piece),
  })
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += cut) scanner.feed(bytes.subarray(at, at + cut))
  scanner.end()
  return events
}

function fault(text: string | Uint8Array, options = {}): string {
  try {
    read(text, options)
  } catch (thrown) {
    if (thrown instanceof XmlError) return thrown.message
    throw thrown
  }
  return 'none'
}

const document = `\ufeff<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE a SYSTEM "a>b.dtd" >
<!-- a < b & c -->
<root a = 'x "y"' b="1&#x20AC;2&amp;>
3">t&lt;\r\nü<![CDATA[<&>]]>
<empty ß="é"/><e   a="" ></e >
</root>
<?end of it?>
`
const events = [
  '4 <root a=x "y" b=1€2&> 3',
  '"t<\nü<&>\n"',
  '7 <empty ß=é',
  '7 /empty',
  '7 <e a=',
  '7 /e',
  '"\n"',
  '8 /root',
]

test('a document is told as its elements and texts, with their lines', () => {
  expect(read(document)).toEqual(events)
})

test.each([1, 2, 3, 7])('cut into pieces of %i bytes it is the same', (cut) => {
  expect(read(document, { cut })).toEqual(events)
})

test('text that nobody wants is not told, and still has to be right', () => {
  expect(read('<a>text &amp; <b/></a>', { wantsText: false })).toEqual([
    '1 <a',
    '1 <b',
    '1 /b',
    '1 /a',
  ])
  expect(fault('<a>\n&x;</a>', { wantsText: false })).toContain('line 2')
})

test('a reference that is cut is read whole', () => {
  for (const cut of [1, 4, 5, 6, 7]) {
    expect(read('<a>1 &amp; 2</a>', { cut })).toEqual(['1 <a', '"1 & 2"', '1 /a'])
  }
})

describe('what is not well-formed is refused with its line', () => {
  test.each([
    ['', 'expected an element, the file is empty at line 1'],
    ['\n\nx<a/>', 'text outside of the root element at line 3'],
    ['<a/>\nx', 'text outside of the root element at line 2'],
    ['<a/>\n<b/>', 'a second root, <b> at line 2'],
    ['<a>\n<b>\n</a>', '</a> in place of </b> at line 3'],
    ['<a>\n</a></b>', '</b> closes nothing at line 2'],
    ['<a>\n<b>', 'the file ends before </b> at line 2'],
    ['<a>\n<b x="1', 'the file ends within what begins at line 2'],
    ['<a>\n<!-- x', 'the file ends within what begins at line 2'],
    ['<a x="1" x="2"/>', 'the attribute x is given twice at line 1'],
    ['<a x="1"y="2"/>', 'expected a blank before an attribute at line 1'],
    ['<a x=1 />', 'expected x in quotes at line 1'],
    ['<a x />', 'expected "=" behind x at line 1'],
    ['<a ="1"/>', 'expected the name of an attribute at line 1'],
    ['<a\n x="<"/>', '"<" within a tag at line 1'],
    ['<a / >', 'expected ">" behind "/" at line 1'],
    ['< a/>', 'expected the name of an element behind "<" at line 1'],
    ['<1/>', 'expected the name of an element behind "<" at line 1'],
    ['<a>\n&nbsp;</a>', '"&nbsp;" is none of &lt; &gt; &amp; &quot; &apos; at line 2'],
    ['<a b="&x"/>', '"&x" is none of &lt; &gt; &amp; &quot; &apos; at line 1'],
    ['<a>&#0;</a>', '"&#0;" is none of &lt; &gt; &amp; &quot; &apos; at line 1'],
    ['<a>&#xD800;</a>', '"&#xD800;" is none of &lt; &gt; &amp; &quot; &apos; at line 1'],
    ['<a>\n\u0001</a>', 'a control character at line 2'],
    ['<!ENTITY x "y"><a/>', '"<!ENTITY " is not allowed: nothing may be defined at line 1'],
    ['<a><![IGNORE[x]]></a>', '"<![IGNORE" is not allowed: nothing may be defined at line 1'],
    ['<a/><!DOCTYPE a>', 'a DOCTYPE behind the root element began at line 1'],
    [
      '\n<?xml version="1.0" encoding="utf-16"?><a/>',
      'the encoding is utf-16, expected UTF-8 at line 2',
    ],
    ['<![CDATA[x]]><a/>', 'text outside of the root element at line 1'],
  ])('%j', (text, message) => {
    expect(fault(text)).toBe(message)
    expect(fault(text, { cut: 1 })).toBe(message)
  })

  test('bytes that are no UTF-8', () => {
    expect(fault(Buffer.from('<a>\n\xff</a>', 'latin1'))).toBe('not UTF-8 at line 2')
    expect(fault(Buffer.from('<a>\n</a>\xe2\x82', 'latin1'))).toContain(
      'within a character at line 2',
    )
    expect(fault(Buffer.from('<a/>', 'utf16le'))).toContain('at line 1')
  })
})

describe('bombs are refused before they cost anything', () => {
  const lol = `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><a>&lol2;</a>`
  const many = Array.from({ length: 257 }, (_, index) => `a${index}="1"`).join(' ')
  test.each([
    [lol, 'a DOCTYPE with definitions is not allowed'],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>&x;</a>', '"&x;" is none of'],
    ['<a>'.repeat(129), 'nested deeper than 128 levels'],
    [`<a ${many}/>`, 'more than 256 attributes'],
    [`<a>${'x'.repeat(10_485_761)}</a>`, 'text of more than 10485760 characters'],
    [`<a b="${'x'.repeat(10_600_000)}"/>`, 'a tag or comment of more than 10485760 characters'],
    [`<!--${'x'.repeat(10_600_000)}--><a/>`, 'a tag or comment of more than 10485760 characters'],
    [`<${'x'.repeat(10_600_000)}`, 'a tag or comment of more than 10485760 characters'],
  ])('%#', (text, reason) => {
    const begin = performance.now()
    expect(fault(text, { cut: 65_536 })).toContain(reason)
    expect(performance.now() - begin).toBeLessThan(5000)
  })
})
