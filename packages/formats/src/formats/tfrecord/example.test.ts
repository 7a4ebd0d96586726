import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FormatError } from '../../report/errors.ts'
import { encodeVarint, exampleOf, field } from '../../testing/tfrecord.ts'
import { readExample, writeExample } from './example.ts'

const location = { file: 'a.tfrecord', record: 'record 1' }
const read = (data: Uint8Array) => readExample(data, location)

test('features are read in any order, with numbers packed or unpacked', () => {
  for (const isPacked of [true, false]) {
    const example = read(
      exampleOf({ b: ['x', 'yé', ''], 'a/bbox': [0.5, -1.25], n: [0, 300, -1, 2 ** 40] }, isPacked),
    )
    expect(example.texts('b')).toEqual(['x', 'yé', ''])
    expect(example.floats('a/bbox')).toEqual([0.5, -1.25])
    expect(example.integers('n')).toEqual([0, 300, -1, 2 ** 40])
    expect(example.integers('none')).toEqual([])
  }
})

test('whole numbers are exact up to 2^53 in both directions', () => {
  const values = [1, 127, 128, 2 ** 31, 2 ** 32, 2 ** 53 - 1, -1, -128, -(2 ** 31), -(2 ** 53) + 1]
  const written = writeExample(new Map([['n', { integers: values.filter((one) => one > 0) }]]))
  expect(read(Buffer.concat(written)).integers('n')).toEqual(values.filter((one) => one > 0))
  expect(read(exampleOf({ n: values })).integers('n')).toEqual(values)
})

test('the last of two features with equal names counts, and split lists are joined', () => {
  const twice = Buffer.concat([exampleOf({ n: 1, m: 5 }), exampleOf({ n: 2 })])
  expect(read(twice).integers('n')).toEqual([2])
  expect(read(twice).integers('m')).toEqual([5])
  const list = (value: number) => field(3, field(1, encodeVarint(BigInt(value))))
  const entry = Buffer.concat([
    field(1, Buffer.from('n')),
    field(2, Buffer.concat([list(1), list(2)])),
  ])
  expect(read(field(1, field(1, entry))).integers('n')).toEqual([1, 2])
})

test('unknown fields are skipped', () => {
  const unknown = Buffer.concat([
    field(9, Buffer.from('x')),
    Buffer.from([(7 << 3) | 0, 200, 1]),
    Buffer.from([(7 << 3) | 1, ...Buffer.alloc(8)]),
    Buffer.from([(7 << 3) | 5, ...Buffer.alloc(4)]),
  ])
  const data = Buffer.concat([unknown, exampleOf({ n: 1 }), unknown])
  expect(read(data).integers('n')).toEqual([1])
})

test.each([
  ['no message', Buffer.from('this is no example'), 'the record is no tf.train.Example'],
  ['a message that is cut off', exampleOf({ n: 1 }).subarray(0, -1), 'is no tf.train.Example'],
  ['a number without end', Buffer.alloc(20, 0xff), 'is no tf.train.Example'],
  ['a name that is no text', field(1, field(1, field(1, Buffer.of(0xff)))), 'a text is not UTF-8'],
])('%s is refused', (_, data, reason) => {
  expect(() => read(data)).toThrow(FormatError)
  expect(() => read(data)).toThrow(reason)
})

test('a feature of another kind is refused by its name', () => {
  const example = read(exampleOf({ 'image/width': 'wide', 'a/bbox': 0.5, n: 1 }))
  expect(() => example.integers('image/width')).toThrow(
    'record 1: image/width is a list of bytes, expected whole numbers',
  )
  expect(() => example.bytes('a/bbox')).toThrow('a/bbox is a list of floats, expected bytes')
  expect(() => example.floats('n')).toThrow('n is a list of whole numbers, expected floats')
})

test('features are written sorted by name, with packed numbers', () => {
  const written = writeExample(
    new Map([
      ['n', { integers: [1, 300] }],
      ['a/bbox', { floats: [0.5] }],
      ['b', { bytes: ['', Buffer.of(0, 1)] }],
    ]),
  )
  const expected = exampleOf({ 'a/bbox': [0.5], b: ['', Buffer.of(0, 1)], n: [1, 300] })
  expect(Buffer.concat(written)).toEqual(expected)
})

test('written features are read back', () => {
  const values = fc.oneof(
    fc.record({ bytes: fc.array(fc.uint8Array()) }),
    fc.record({ floats: fc.array(fc.float({ noNaN: true })) }),
    fc.record({ integers: fc.array(fc.maxSafeNat()) }),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.string(), values), (features) => {
      const example = read(Buffer.concat(writeExample(new Map(Object.entries(features)))))
      for (const [name, given] of Object.entries(features)) {
        if ('bytes' in given)
          expect(example.bytes(name).map((one) => [...one])).toEqual(
            given.bytes.map((one) => [...one]),
          )
        if ('floats' in given) expect(example.floats(name)).toEqual(given.floats)
        if ('integers' in given) expect(example.integers(name)).toEqual(given.integers)
      }
    }),
  )
})

test('an example with changed bytes is read or refused with a FormatError', () => {
  const names = ['image/filename', 'image/width', 'image/object/bbox/xmin']
  const whole = exampleOf({
    'image/filename': 'a.jpg',
    'image/width': 9,
    'image/object/bbox/xmin': 0.5,
  })
  const change = fc.tuple(fc.nat(whole.length - 1), fc.nat(255))
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.nat(whole.length),
      (changes, end) => {
        const data = Buffer.from(whole.subarray(0, end))
        for (const [at, byte] of changes) if (at < data.length) data[at] = byte
        try {
          const example = read(data)
          for (const name of names) example.texts(name)
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError)
        }
      },
    ),
    { numRuns: 2000 },
  )
})
