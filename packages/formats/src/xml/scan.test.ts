import { SaxesParser } from 'saxes'
import { describe, expect, test } from 'vitest'
import { createXmlScanner } from './scan.ts'
import { XmlError } from './xml-error.ts'

/** Returns the events of a document, one line each. */
function read(text: string | Uint8Array, { cut = Infinity } = {}): string[] {
  const events: string[] = []
  const pieces: string[] = []
  const notes = (event: string): void => {
    if (pieces.length > 0) events.push(`"${pieces.splice(0).join('')}"`)
    events.push(`${scanner.line()} ${event}`)
  }
  const scanner = createXmlScanner({
    open: (name, attributes) => {
      const given = ['a', 'b', 'ß'].flatMap((key) => {
        const value = attributes[key]
        return value === undefined ? [] : [`${key}=${value}`]
      })
      notes([`<${name}`, ...given].join(' '))
    },
    close: (name) => notes(`/${name}`),
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

test('elements and texts of a document are reported with their lines', () => {
  expect(read(document)).toEqual(events)
})

test.each([1, 2, 3, 7])('pieces of %i bytes yield the same events', (cut) => {
  expect(read(document, { cut })).toEqual(events)
})

test('a reference that is split between pieces is read whole', () => {
  for (const cut of [1, 4, 5, 6, 7]) {
    expect(read('<a>1 &amp; 2</a>', { cut })).toEqual(['1 <a', '"1 & 2"', '1 /a'])
  }
})

describe('a document that is not well-formed is refused with its line', () => {
  test.each([
    ['', 'document must contain a root element at line 1'],
    ['\n\nx<a/>', 'text data outside of root node at line 3'],
    ['<a/>\nx', 'text data outside of root node at line 2'],
    ['<a/>\n<b/>', 'documents may contain only one root in <b> at line 2'],
    ['<a>\n<b>\n</a>', 'unexpected close tag in <a> at line 3'],
    ['<a>\n</a></b>', 'unmatched closing tag: b at line 2'],
    ['<a>\n<b>', 'unclosed tag: b in <b> at line 2'],
    ['<a>\n<b x="1', 'unclosed tag: a in <b> at line 2'],
    ['<a>\n<!-- x', 'unclosed tag: a in <a> at line 2'],
    ['<a x="1" x="2"/>', 'duplicate attribute: x in <a> at line 1'],
    ['<a x="1"y="2"/>', 'no whitespace between attributes in <a> at line 1'],
    ['<a x=1 />', 'unquoted attribute value in <a> at line 1'],
    ['<a x />', 'attribute without value in <a> at line 1'],
    ['<a\n x="<"/>', 'disallowed character in <a> at line 2'],
    ['<1/>', 'disallowed character in tag name at line 1'],
    ['<a>\n&nbsp;</a>', 'undefined entity in <a> at line 2'],
    ['<a b="&x"/>', 'unexpected end in <a> at line 1'],
    ['<a>&#0;</a>', 'malformed character entity in <a> at line 1'],
    ['<a>\n\u0001</a>', 'disallowed character in <a> at line 2'],
    ['<!ENTITY x "y"><a/>', 'incorrect syntax at line 1'],
    ['<a/><!DOCTYPE a>', 'inappropriately located doctype declaration at line 1'],
    [
      '<?xml version="1.0" encoding="utf-16"?><a/>',
      'the encoding is utf-16, expected UTF-8 at line 1',
    ],
  ])('%j', (text, message) => {
    expect(fault(text)).toBe(message)
    expect(fault(text, { cut: 1 })).toBe(message)
  })

  test('bytes that are invalid UTF-8', () => {
    expect(fault(Buffer.from('<a>\n\xff</a>', 'latin1'))).toBe('not UTF-8 at line 2')
    expect(fault(Buffer.from('<a>\n</a>\xe2\x82', 'latin1'))).toBe('not UTF-8 at line 2')
    expect(fault(Buffer.from('<a/>', 'utf16le'))).toContain('at line 1')
  })
})

describe('documents that would exhaust the memory are refused early', () => {
  const lol = `<!DOCTYPE lolz [<!ENTITY lol "lol"><!ENTITY lol2 "&lol;&lol;">]><a>&lol2;</a>`
  const long = 'a tag, text or comment of more than 10485760 characters'
  const many = Array.from({ length: 257 }, (_, index) => `a${index}="1"`).join(' ')
  test.each([
    [lol, 'a DOCTYPE with definitions is not allowed'],
    ['<!DOCTYPE a SYSTEM "file:///etc/passwd"><a>&x;</a>', 'undefined entity'],
    ['<a>'.repeat(129), 'nested deeper than 128 levels'],
    [`<a ${many}/>`, 'more than 256 attributes'],
    [`<a>${'x'.repeat(10_600_000)}</a>`, long],
    [`<a b="${'x'.repeat(10_600_000)}"/>`, long],
    [`<!--${'x'.repeat(10_600_000)}--><a/>`, long],
    [`<${'x'.repeat(10_600_000)}`, long],
  ])('%#', (text, reason) => {
    expect(fault(text, { cut: 65_536 })).toContain(reason)
  })
})

/** Milliseconds of CPU time, the minimum of several runs, because other processes may interfere. */
function timeOf(work: () => void): number {
  const times = Array.from({ length: 5 }, () => {
    const start = process.cpuUsage()
    work()
    return process.cpuUsage(start).user / 1000
  })
  return Math.min(...times)
}

test('a scan takes little longer than the parser alone', () => {
  const points = '<pt>\n  <x>12.50</x>\n  <y kind="b">7.25</y>\n</pt>\n'.repeat(20_000)
  const bytes = Buffer.from(`<a>\n${points}</a>\n`)
  const nothing = () => undefined
  const alone = timeOf(() => {
    new SaxesParser({ xmlns: false }).write(bytes.toString()).close()
  })
  const scanned = timeOf(() => {
    const scanner = createXmlScanner({ open: nothing, close: nothing, text: nothing })
    scanner.feed(bytes)
    scanner.end()
  })
  expect(scanned / alone).toBeLessThan(3)
})
