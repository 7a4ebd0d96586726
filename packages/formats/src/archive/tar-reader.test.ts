import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  binarySize,
  type CraftedMember,
  craftMember,
  craftTar,
  longName,
  pax,
  tarEnd,
} from '../testing/tar.ts'
import { sourceOf } from './source.ts'
import { isTarHeader, openTar } from './tar-reader.ts'
import { archiveLimits } from './zip-reader.ts'

const plain: CraftedMember = { name: 'a.txt', content: 'text' }

async function readAll(bytes: Buffer, limits = archiveLimits): Promise<Record<string, string>> {
  const { files } = await openTar(sourceOf(bytes), limits)
  const read = [...files.values()].map(({ name, start, size }): [string, string] => [
    name,
    bytes.subarray(start, start + size).toString(),
  ])
  return Object.fromEntries(read)
}

describe('an archive that exceeds a limit or is damaged is refused', () => {
  const long = `${'x'.repeat(250)}/`.repeat(20)
  const rawPax = (content: string): CraftedMember => ({ name: 'pax', type: 'x', content })
  const cases: [string, Buffer, string][] = [
    ['a step up', craftTar([{ name: '../a' }]), 'bad path in archive: "../a" leaves'],
    ['a step up inside', craftTar([{ name: 'a/../../b' }]), 'bad path'],
    ['a step up with backslashes', craftTar([{ name: 'a\\..\\..\\b' }]), 'bad path'],
    ['a step up of a directory', craftTar([{ name: '../', type: '5' }]), 'bad path'],
    ['a step up in the prefix', craftTar([{ name: 'a', prefix: '..' }]), 'bad path'],
    ['a step up in a long name', craftTar([longName('../b'), plain]), 'bad path'],
    ['a step up in a pax record', craftTar([pax({ path: '../b' }), plain]), 'bad path'],
    ['an absolute path', craftTar([{ name: '/etc/passwd' }]), 'is absolute'],
    ['a drive', craftTar([{ name: 'C:\\a' }]), 'is absolute'],
    ['no name', craftTar([{ name: '' }]), 'is empty'],
    ['a name of dots', craftTar([{ name: './.' }]), 'is empty'],
    ['no name in a pax record', craftTar([pax({ path: '' }), plain]), 'is empty'],
    ['a line break', craftTar([{ name: 'a\nb' }]), 'has control characters'],
    ['a NUL in a pax record', craftTar([pax({ path: 'a\0b' }), plain]), 'has control characters'],
    ['a long part', craftTar([longName('x'.repeat(256)), plain]), 'a part over 255 bytes'],
    ['a long name', craftTar([longName(long), plain]), 'longer than 4096 bytes'],
    ['a very long name', craftTar([longName('x'.repeat(70_000)), plain]), 'is longer than 65536'],
    ['a hard link', craftTar([{ name: 'a', type: '1' }]), 'a: links and devices'],
    ['a symbolic link', craftTar([{ name: 'a', type: '2' }]), 'links and devices'],
    ['a long symbolic link', craftTar([longName('/etc', 'K'), { name: 'a', type: '2' }]), 'links'],
    ['a character device', craftTar([{ name: 'a', type: '3' }]), 'links and devices'],
    ['a block device', craftTar([{ name: 'a', type: '4' }]), 'links and devices'],
    ['a pipe', craftTar([{ name: 'a', type: '6' }]), 'links and devices'],
    ['a sparse member of GNU tar', craftTar([{ ...plain, type: 'S' }]), 'sparse members'],
    [
      'a sparse member of pax',
      craftTar([pax({ 'GNU.sparse.major': '1', 'GNU.sparse.realsize': '9' }), plain]),
      'sparse members',
    ],
    ['a part of a volume', craftTar([{ ...plain, type: 'M' }]), 'split over several files'],
    ['an unknown type', craftTar([{ ...plain, type: 'D' }]), 'members of type "D" are not'],
    ['a wrong checksum', craftTar([{ ...plain, sum: 1 }]), 'member 1 has no header'],
    ['a second header that is none', craftTar([plain, { ...plain, sum: 7 }]), 'member 2 has no'],
    ['a size that is no number', craftTar([{ ...plain, size: '0000000009x' }]), 'is no number'],
    ['a size below zero', craftTar([{ ...plain, size: Buffer.alloc(12, 0xff) }]), 'out of range'],
    [
      'a size beyond all numbers',
      craftTar([{ ...plain, size: Buffer.from([0x80, ...Array(11).fill(0xff)]) }]),
      'out of range',
    ],
    ['a size beyond the end', craftTar([{ ...plain, size: 5_000 }]), 'it was cut off'],
    ['a size that hides others', craftTar([{ ...plain, size: 1 << 20 }, plain]), 'cut off'],
    ['a pax size that lies', craftTar([pax({ size: '99999' }), plain]), 'it was cut off'],
    ['a pax size that is none', craftTar([pax({ size: '-1' }), plain]), 'out of range'],
    ['a pax size of letters', craftTar([pax({ size: 'many' }), plain]), 'out of range'],
    ['a pax record too long', craftTar([rawPax('99 path=b\n'), plain]), 'does not add up'],
    ['a pax record too short', craftTar([rawPax('3 path=b\n'), plain]), 'does not add up'],
    ['a pax record without a length', craftTar([rawPax('path=b\n'), plain]), 'does not add up'],
    ['a pax record without an end', craftTar([rawPax('9 path=bc'), plain]), 'does not add up'],
    ['one path for all', craftTar([pax({ path: 'b' }, 'g'), plain]), 'have one path'],
    ['one size for all', craftTar([pax({ size: '1' }, 'g'), plain]), 'have one size'],
    ['no end', craftTar([plain], Buffer.alloc(0)), 'cut off: its end is missing'],
    ['half an end', craftTar([plain], Buffer.alloc(511)), 'cut off: its end is missing'],
    ['half a member', craftTar([{ ...plain, content: 'x'.repeat(2000) }]).subarray(0, 1500), 'cut'],
    ['half a header', craftTar([plain, plain]).subarray(0, 1100), 'cut off'],
    ['a long name without a member', craftTar([longName('b')], Buffer.alloc(0)), 'cut off'],
    ['half a long name', craftTar([longName('x'.repeat(900))]).subarray(0, 700), 'cut off'],
    ['nothing', Buffer.alloc(0), 'cut off'],
    ['text', Buffer.from('hello '.repeat(500)), 'member 1 has no header'],
  ]

  test('the corpus has at least forty archives', () => {
    expect(cases.length).toBeGreaterThanOrEqual(40)
  })

  test.each(cases)('%s', async (_, bytes, message) => {
    await expect(readAll(bytes)).rejects.toThrow(message)
    await expect(readAll(bytes)).rejects.toMatchObject({ name: 'FormatError' })
  })

  const few = { entries: 3, bytes: 1000, ratio: 200 }
  test.each([
    ['members', [plain, plain, plain, plain], 'archive too large: more than 3 members'],
    ['headers about members', [pax({}), pax({}), pax({}), plain], 'more than 3 members'],
    [
      'bytes',
      [plain, { name: 'b', content: 'x'.repeat(997) }],
      'archive too large: it unpacks to 1001 bytes',
    ],
  ] as const)('too many %s', async (_, members, message) => {
    await expect(readAll(craftTar(members), few)).rejects.toThrow(message)
  })
})

test('members are found in archives of every tar variant', async () => {
  const name = `${'very/'.repeat(40)}long.txt`
  const members: CraftedMember[] = [
    { name: './', type: '5' },
    { name: './posix.txt', content: 'one' },
    { name: 'last.txt', prefix: 'folder/of', content: 'two' },
    { name: 'old.txt', type: '\0', magic: '', content: 'three' },
    { name: 'gnu.txt', magic: 'ustar  \0', prefix: '\x01\x02', content: 'four' },
    { name: 'close.txt', type: '7', content: 'five' },
    { name: 'folder', type: '5', size: 4096 },
    { name: 'old-folder/', type: '0' },
    { name: 'backup', type: 'V' },
    longName(name),
    { name: 'cut', content: 'six' },
    pax({ comment: 'for all' }, 'g'),
    pax({ path: 'grün/é.txt', mtime: '1.5' }),
    { name: 'gr', content: 'seven' },
    pax({ size: '5' }),
    { name: 'sized.txt', content: 'eight', size: 0 },
    {
      name: 'binary.txt',
      content: 'nine',
      size: binarySize(4n),
    },
    { name: 'signed-\xe9.txt', content: 'ten', sum: 'signed' },
    { name: Buffer.from('latin-\xe9.txt', 'latin1'), content: 'eleven' },
    { name: '__MACOSX/._a', content: 'junk' },
    { name: 'a/.DS_Store', content: 'junk' },
    { name: 'block.txt', content: 'x'.repeat(512) },
    { name: 'empty.txt' },
    { name: 'after.txt', content: 'thirteen' },
  ]
  expect(await readAll(craftTar(members))).toEqual({
    'posix.txt': 'one',
    'folder/of/last.txt': 'two',
    'old.txt': 'three',
    'gnu.txt': 'four',
    'close.txt': 'five',
    [name]: 'six',
    'grün/é.txt': 'seven',
    'sized.txt': 'eight',
    'binary.txt': 'nine',
    'signed-é.txt': 'ten',
    'latin-é.txt': 'eleven',
    'block.txt': 'x'.repeat(512),
    'empty.txt': '',
    'after.txt': 'thirteen',
  })
})

test('the last of several members with equal names counts, and the name is listed as a duplicate', async () => {
  const bytes = craftTar([plain, { ...plain, content: 'newer' }])
  const { duplicates } = await openTar(sourceOf(bytes))
  expect([duplicates, await readAll(bytes)]).toEqual([['a.txt'], { 'a.txt': 'newer' }])
})

test('an archive without members is valid, and bytes after the end marker are ignored', async () => {
  expect(await readAll(tarEnd)).toEqual({})
  expect(await readAll(craftTar([plain], Buffer.alloc(512)))).toEqual({ 'a.txt': 'text' })
  expect(await readAll(Buffer.concat([craftTar([plain]), Buffer.alloc(9000, 7)]))).toEqual({
    'a.txt': 'text',
  })
})

test('a header is recognized by its checksum', () => {
  expect(isTarHeader(craftMember({ name: 'a', magic: '' }))).toBe(true)
  expect(isTarHeader(craftMember({ name: 'a', sum: 3 }))).toBe(false)
  expect(isTarHeader(Buffer.alloc(512))).toBe(false)
  expect(isTarHeader(Buffer.from('short'))).toBe(false)
})

test('an archive with changed bytes is read or refused with a FormatError', async () => {
  const members = [longName('x'.repeat(120)), plain, pax({ path: 'b' }), plain, plain]
  const whole = craftTar(members)
  const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const bytes = Buffer.from(whole)
      for (const { at, byte } of changes) bytes[at] = byte
      await openTar(sourceOf(bytes)).catch((thrown) => expect(thrown.name).toBe('FormatError'))
    }),
    { numRuns: 2000, seed: 1 },
  )
})
