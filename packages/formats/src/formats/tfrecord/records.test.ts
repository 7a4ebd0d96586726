import { expect, test } from 'vitest'
import { FormatError } from '../../report/errors.ts'
import { encodeRecord } from '../../testing/tfrecord.ts'
import { crc32c, maskChecksum } from './crc32c.ts'
import { mostRecordBytes, readRecords, recordOf } from './records.ts'

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

async function* cut(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function read(bytes: Uint8Array, size = bytes.length) {
  const records = []
  for await (const { data, location } of readRecords(cut(bytes, size), 'a.tfrecord'))
    records.push([text(data), location.record, location.offset])
  return records
}

test.each([
  ['', 0],
  ['123456789', 0xe3069283],
  ['\0'.repeat(32), 0x8a9136aa],
  [Buffer.alloc(32, 0xff), 0x62a8ab43],
  [Buffer.from([...Array(32).keys()]), 0x46dd794e],
])('the checksum equals that of RFC 3720', (given, crc) => {
  const bytes = Buffer.from(given)
  expect(crc32c(bytes)).toBe(crc)
  for (let at = 0; at < bytes.length; at += 1)
    expect(crc32c(bytes.subarray(at), crc32c(bytes.subarray(0, at)))).toBe(crc)
})

test('the checksum in files is masked', () => {
  expect(maskChecksum(0)).toBe(0xa282ead8)
  expect(maskChecksum(0xe3069283)).toBe(0xc78ab0e5)
})

test('a record is written as its length, its data and their checksums', () => {
  const parts = recordOf([Buffer.from('ab'), Buffer.from('c')])
  expect(Buffer.concat(parts)).toEqual(encodeRecord(Buffer.from('abc')))
  expect(Buffer.concat(parts).toString('hex')).toBe('0300000000000000b099490e6162636e57f121')
})

test('records are read from pieces of any size', async () => {
  const bytes = Buffer.concat(['one', '', 'three'].map((one) => encodeRecord(Buffer.from(one))))
  for (let size = 1; size <= bytes.length; size += 1)
    expect(await read(bytes, size)).toEqual([
      ['one', 'record 1', 0],
      ['', 'record 2', 19],
      ['three', 'record 3', 35],
    ])
  expect(await read(Buffer.alloc(0), 1)).toEqual([])
})

test('records are read one at a time, with no more of the file than needed', async () => {
  const record = encodeRecord(Buffer.alloc(1000))
  let taken = 0
  async function* pieces() {
    for (;;) {
      taken += 1
      yield record.subarray(0, 600)
      yield record.subarray(600)
    }
  }
  for await (const { location } of readRecords(pieces(), 'a.tfrecord')) {
    if (location.record === 'record 5') break
  }
  expect(taken).toBe(5)
})

test.each([
  ['cut off in its length', (bytes: Buffer) => bytes.subarray(0, 24), 'the record is cut off'],
  ['cut off in its data', (bytes: Buffer) => bytes.subarray(0, -5), 'the record is cut off'],
  ['of a wrong length', (bytes: Buffer) => turned(bytes, 19), 'the length has a wrong checksum'],
  ['of wrong data', (bytes: Buffer) => turned(bytes, 31), 'the data has a wrong checksum'],
])('a record %s is refused by its number and position', async (_, change, reason) => {
  const bytes = change(Buffer.concat(['one', 'two'].map((one) => encodeRecord(Buffer.from(one)))))
  await expect(read(bytes, 7)).rejects.toThrow(FormatError)
  await expect(read(bytes, 7)).rejects.toThrow(`a.tfrecord: record 2: ${reason} at byte 19`)
})

test('a record that declares a huge length is refused before it is read', async () => {
  const head = Buffer.alloc(12)
  head.writeUInt32LE(mostRecordBytes + 1)
  head.writeUInt32LE(maskChecksum(crc32c(head.subarray(0, 8))), 8)
  await expect(read(head)).rejects.toThrow('at most 100663296 are allowed at byte 0')
})

function turned(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at] = (copy[at] ?? 0) ^ 1
  return copy
}
