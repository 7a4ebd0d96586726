import { gzipSync } from 'node:zlib'
import type { AnyJson } from '../../support/client.ts'
import type { Random } from '../../support/random.ts'

/** Builds arrays nested to the given depth. */

const deep = (levels: number): AnyJson => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)

/** Replacements for any value. */
const strange: readonly AnyJson[] = [
  ...[
    null,
    true,
    false,
    '',
    'x',
    '0',
    '1e3',
    'rectangle',
    'mask',
    'skeleton',
    ' ',
    '\0',
    '\ud800',
    '💥',
  ],
  ...[
    0, -0, 1, -1, 0.5, 1.5, 4, 5, 10, 99, 999_999, 1e6, -1e7, 1e7, 10_000_000.5, 1e12, 1e21, 1e308,
  ],
  ...[2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53, 2 ** 63, 2 ** 64, 5e-324],
  ...[[], {}, [[]], [null], [{}], { length: 3 }, [1, 2, 3], [0, 4, 0, 0, 1, 1], 'x'.repeat(5000)],
  ...[
    { __proto__: null, toString: 1 },
    deep(20),
    deep(70),
    Array(300).fill(0),
    Array(2000).fill({}),
  ],
]

const keys = [
  ...[
    'id',
    'frame',
    'label_id',
    'type',
    'points',
    'elements',
    'shapes',
    'tags',
    'tracks',
    'attributes',
  ],
  ...[
    'spec_id',
    'value',
    'group',
    'source',
    'intervals',
    'version',
    '__proto__',
    'constructor',
    '',
  ],
  ...['clientID', 'keyframe', 'score', 'rotation', 'constructor.prototype', 'é', '\u0000'],
]

/** Returns a copy, because a value inside a body may be changed again. */
const strangeOne = (random: Random): AnyJson => structuredClone(random.pick(strange))

interface Slot {
  holder: AnyJson
  key: string
}

function slotsOf(value: AnyJson): Slot[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.keys(value).flatMap((key) => [{ holder: value, key }, ...slotsOf(value[key])])
}

/** Returns a copy of the body with one to three of its values changed. */
export function spoilValues(random: Random, body: AnyJson): AnyJson {
  const copy = structuredClone(body)
  for (let times = 1 + random.below(3); times > 0; times--) spoilOne(random, copy)
  return copy
}

function spoilOne(random: Random, body: AnyJson): void {
  const slots = slotsOf(body)
  const { holder, key } = slots.length > 0 ? random.pick(slots) : { holder: body, key: 'shapes' }
  const ways: (() => void)[] = [
    () => define(holder, key, strangeOne(random)),
    () => define(holder, key, strangeOne(random)),
    () => delete holder[key],
    () => define(holder, random.pick(keys), strangeOne(random)),
    () => define(holder, random.pick(keys), structuredClone(holder[key])),
    () => define(holder, key, [holder[key]]),
    () => define(holder, key, JSON.stringify(holder[key]) ?? ''),
    () => (Array.isArray(holder) ? holder.push(...structuredClone(holder)) : undefined),
    () => (Array.isArray(holder) ? holder.reverse() : undefined),
    () => define(holder, 'id', random.below(200)),
    () => define(holder, key, random.double(Number.MAX_VALUE)),
  ]
  random.pick(ways)()
}

/** Defines an own property, also for the key `__proto__`. */
function define(holder: AnyJson, key: string, value: AnyJson): void {
  if (Array.isArray(holder) && !/^\d+$/.test(key)) return
  Object.defineProperty(holder, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}

const utf8 = (text: string) => Buffer.from(text)
const pieces = [
  ...[
    'NaN',
    'Infinity',
    '-',
    '01',
    '1e999',
    '1e-999',
    '1E+',
    '.5',
    '0x1',
    'tru',
    "'x'",
    '//',
    '/**/',
    ',',
  ],
  ...[
    '"\\x"',
    '"\\u12"',
    '"\\ud800"',
    '"\\u0000"',
    '[',
    ']',
    '{',
    '}',
    ':',
    '"',
    '\\',
    '\n',
    '\0',
    '\u2028',
  ],
  ...[
    '"a":1,"a":2',
    '"shapes":[],"shapes":[]',
    '['.repeat(70),
    '{"a":'.repeat(70),
    '9'.repeat(400),
  ],
].map(utf8)
const broken = [
  [0xff],
  [0xc3],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xc0, 0xaf],
  [0xfe, 0xff],
].map((bytes) => Buffer.from(bytes))

/** Encodes a text in ways that no client should use. */
export function spoilBytes(random: Random, text: string): Buffer {
  const whole = utf8(text)
  const at = random.below(whole.length + 1)
  const between = (piece: Buffer, skipped = 0) =>
    Buffer.concat([whole.subarray(0, at), piece, whole.subarray(at + skipped)])
  const ways: (() => Buffer)[] = [
    () => whole.subarray(0, at),
    () => whole.subarray(at),
    () => between(random.pick(pieces)),
    () => between(random.pick(pieces), random.below(4)),
    () => between(random.pick(broken)),
    () => between(Buffer.from([random.below(256)]), 1),
    () => between(Buffer.alloc(0), 1 + random.below(8)),
    () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), whole]),
    () => Buffer.concat([whole, random.pick([whole, utf8(' x'), utf8('\n\n'), Buffer.alloc(3)])]),
    () => Buffer.from(text, random.pick(['utf16le', 'latin1'])),
    () => gzipSync(whole),
    () => utf8(text.replace(/"(\w+)":/, '"$1":null,"$1":')),
    () => utf8(text.replaceAll('"', "'")),
    () => utf8(text.replaceAll(',', ',\r\n\t ')),
    () => utf8(random.pick(['', ' ', '[]', 'null', '0', '"x"', '{}', '{"shapes":', `[${text}]`])),
  ]
  return random.pick(ways)()
}
