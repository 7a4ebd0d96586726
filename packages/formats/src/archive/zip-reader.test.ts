import { crc32, deflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sourceOf } from './source.ts'
import { type ArchiveLimits, archiveLimits, openZip } from './zip-reader.ts'

/** One member to write; every field can be falsified. */
interface Crafted {
  name: string | Buffer
  content?: string | Buffer
  method?: number
  flags?: number
  mode?: number
  /** Written instead of the actual value. */
  size?: number
  packedSize?: number
  crc?: number
  start?: number
  disk?: number
  extra?: Buffer
  localExtra?: Buffer
  localExtraLength?: number
  localSignature?: number
  signature?: number
  packed?: Buffer
}

interface CraftedEnd {
  entries?: number
  disk?: number
  size?: number
  start?: number
  comment?: string
  tail?: string
  large?: Buffer
}

const plain = { name: 'a.txt', content: 'text' }

describe('an archive that exceeds a limit or is damaged is refused', () => {
  const longName = `${'x'.repeat(250)}/`.repeat(20)
  const zeros = deflateRawSync(Buffer.alloc(100_000))
  const cases: [string, Buffer, string][] = [
    ['a step up', craft([{ name: '../a' }]), 'bad path in archive: "../a" leaves'],
    ['a step up inside', craft([{ name: 'a/../../b' }]), 'bad path'],
    ['a step up with backslashes', craft([{ name: 'a\\..\\..\\b' }]), 'bad path'],
    ['an absolute path', craft([{ name: '/etc/passwd' }]), 'is absolute'],
    ['an absolute path with a backslash', craft([{ name: '\\server' }]), 'is absolute'],
    ['a drive', craft([{ name: 'C:\\a' }]), 'is absolute'],
    ['a relative drive', craft([{ name: 'c:a' }]), 'is absolute'],
    ['no name', craft([{ name: '' }]), 'is empty'],
    ['a name of dots', craft([{ name: './.' }]), 'is empty'],
    ['a NUL', craft([{ name: 'a\0.jpg' }]), 'has control characters'],
    ['a line break', craft([{ name: 'a\nb' }]), 'has control characters'],
    ['a second control range', craft([{ name: 'a\u0085b' }]), 'has control characters'],
    ['a long part', craft([{ name: 'x'.repeat(256) }]), 'a part over 255 bytes'],
    ['a long name', craft([{ name: longName }]), 'longer than 4096 bytes'],
    ['a bad path in the unicode field', craft([withUnicodeName('a', '../b')]), 'leaves'],
    ['a symbolic link', craft([{ name: 'a', content: '/', mode: 0o120777 }]), 'links and devices'],
    ['a device', craft([{ name: 'a', mode: 0o060644 }]), 'links and devices'],
    ['a pipe', craft([{ name: 'a', mode: 0o010644 }]), 'links and devices'],
    ['a socket', craft([{ name: 'a', mode: 0o140644 }]), 'links and devices'],
    ['encryption', craft([{ ...plain, flags: 1 }]), 'encrypted members'],
    ['strong encryption', craft([{ ...plain, flags: 0x40 }]), 'encrypted members'],
    ['masked headers', craft([{ ...plain, flags: 0x2000 }]), 'encrypted members'],
    ['an old method', craft([{ ...plain, method: 1 }]), 'compression method 1'],
    ['a new method', craft([{ ...plain, method: 93 }]), 'compression method 93'],
    ['stored sizes that differ', craft([{ ...plain, size: 9 }]), 'sizes of a.txt differ'],
    ['a member on another disk', craft([{ ...plain, disk: 1 }]), 'split over several files'],
    ['a directory on another disk', craft([plain], { disk: 1 }), 'split over several files'],
    ['no end record', craft([plain]).subarray(0, -22), 'its end record is missing'],
    ['half an archive', craft([plain]).subarray(0, 30), 'its end record is missing'],
    ['bytes behind the end', craft([plain], { tail: 'x' }), 'its end record is missing'],
    ['a directory outside', craft([plain], { start: 1_000_000 }), 'directory lies outside'],
    ['too long a directory', craft([plain], { size: 1_000 }), 'directory lies outside'],
    ['more members than bytes', craft([plain], { entries: 9 }), 'directory is too short'],
    ['a wrong header in it', craft([{ ...plain, signature: 7 }]), 'its directory breaks at 0'],
    ['two headers for one data', craft([plain, { ...plain, start: 0 }]), 'overlaps'],
    ['data in another member', craft([{ ...plain }, { name: 'b', start: 3 }]), 'overlaps'],
    ['data in the directory', craft([{ ...plain, size: 60, packedSize: 60 }]), 'overlaps'],
    ['data behind the end', craft([{ ...plain, start: 5_000 }]), 'overlaps'],
    ['a local header that reaches on', craft([{ ...plain, localExtraLength: 9 }]), 'overlaps'],
    ['no local header', craft([{ ...plain, localSignature: 1 }]), 'a.txt has no header'],
    ['a wrong checksum', craft([{ ...plain, crc: 5 }]), 'a.txt has a wrong checksum'],
    ['damaged data', craft([deflated({ packed: Buffer.from('garbage') })]), 'does not unpack'],
    ['data cut off', craft([deflated({ packed: zeros.subarray(0, 50) })]), 'does not unpack'],
    ['more data than declared', craft([deflated({ packed: zeros, size: 9 })]), 'does not unpack'],
    ['less data than declared', craft([deflated({ packed: zeros, size: 100_001 })]), '100000 of'],
    ['a zip64 field missing', craft([{ ...plain, size: 0xffffffff }]), 'zip64 field is missing'],
    ['an extra field too long', craft([withExtra(1, 90)]), 'extra field is too long'],
    ['a zip64 size out of range', craft([hugeMember()]), 'a size is out of range'],
    ['a zip64 record outside', craft([plain], largeEnd(9_999)), 'zip64 record lies outside'],
    ['a zip64 record that is none', craft([plain], largeEnd(0)), 'zip64 record'],
  ]

  test('the corpus has at least forty archives', () => {
    expect(cases.length).toBeGreaterThanOrEqual(40)
  })

  test.each(cases)('%s', async (_, bytes, message) => {
    await expect(readAll(bytes)).rejects.toThrow(message)
    await expect(readAll(bytes)).rejects.toMatchObject({ name: 'FormatError' })
  })
})

describe('a zip bomb is refused before it is unpacked', () => {
  const bomb = (size: number, packedSize: number): Crafted =>
    deflated({ packed: Buffer.alloc(packedSize), size })
  const limits: ArchiveLimits = { entries: 3, bytes: 10_000, ratio: 200 }

  test('too many members', async () => {
    const bytes = craft(['a', 'b', 'c', 'd'].map((name) => ({ name })))
    await expect(openZip(sourceOf(bytes), limits)).rejects.toThrow('4 members, at most 3')
  })

  test('too many bytes', async () => {
    const bytes = craft([bomb(9_000, 90), { ...bomb(9_000, 90), name: 'b' }])
    await expect(openZip(sourceOf(bytes), limits)).rejects.toThrow('it unpacks to 18000 bytes')
  })

  test('a large member with too high a compression ratio', async () => {
    const bytes = craft([bomb(70_000_000, 1_000)])
    await expect(openZip(sourceOf(bytes))).rejects.toThrow('a.txt unpacks to 70000000 bytes')
  })

  test('many members with too high a compression ratio', async () => {
    const members = Array.from({ length: 20 }, (_, index) => bomb(60_000_000, 100 + index))
    const bytes = craft(members.map((member, index) => ({ ...member, name: `${index}` })))
    await expect(openZip(sourceOf(bytes))).rejects.toThrow('archive too large: it unpacks to')
  })

  test('a member that streams more than it declares', async () => {
    const packed = deflateRawSync(Buffer.alloc(5_000_000))
    const bytes = craft([deflated({ packed, size: 2_000_000, packedSize: packed.length })])
    const zip = await openZip(sourceOf(bytes))
    const [entry] = zip.files.values()
    if (!entry) throw new Error('no member')
    const read = async (): Promise<number> => {
      let size = 0
      for await (const part of zip.stream(entry)) size += part.length
      return size
    }
    await expect(read()).rejects.toThrow('unpacks to more than 2000000 bytes')
    await expect(zip.bytes(entry, 1_000)).rejects.toThrow('a.txt: larger than 1000 bytes')
  })
})

test('names are normalized: slashes, no empty parts, composed Unicode', async () => {
  const names = ['a\\b.txt', './c//d.txt', 'u\u0308.txt', Buffer.from([0xfc, 0x2e, 0x6a])]
  const zip = await openZip(sourceOf(craft(names.map((name) => ({ name })))))
  expect([...zip.files.keys()]).toEqual(['a/b.txt', 'c/d.txt', '\u00fc.txt', '\u00fc.j'])
})

test('the Unicode name field wins while its checksum matches', async () => {
  const stale = withUnicodeName('a', 'b')
  const bytes = craft([withUnicodeName('?', 'ж'), { ...stale, name: 'c' }])
  expect([...(await openZip(sourceOf(bytes))).files.keys()]).toEqual(['ж', 'c'])
})

test('directories and junk are not listed as files', async () => {
  const names = ['d/', '__MACOSX/._a', '.DS_Store', 'x/Thumbs.db', 'desktop.ini', '._b', 'real']
  const zip = await openZip(sourceOf(craft(names.map((name) => ({ name })))))
  expect([...zip.files.keys()]).toEqual(['real'])
})

test('the last of several members with equal names counts, and the name is listed as a duplicate', async () => {
  const bytes = craft([plain, { ...plain, content: 'newer' }])
  const zip = await openZip(sourceOf(bytes))
  expect(zip.duplicates).toEqual(['a.txt'])
  expect(await readAll(bytes)).toEqual(['newer'])
})

test('a comment that looks like an end record is not mistaken for one', async () => {
  const bytes = craft([plain], { comment: `PK\x05\x06${'\0'.repeat(30)}` })
  expect(await readAll(bytes)).toEqual(['text'])
})

test('a local header may be longer than its directory entry', async () => {
  const bytes = craft([{ ...plain, localExtra: Buffer.alloc(40) }])
  expect(await readAll(bytes)).toEqual(['text'])
})

test('members are read by position without reading the whole source', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `${index}`)
  const bytes = craft(names.map((name) => ({ name, content: Buffer.alloc(200_000, name) })))
  let read = 0
  const source = {
    size: bytes.length,
    read: async (start: number, end: number) => {
      read += end - start
      return bytes.subarray(start, end)
    },
  }
  const zip = await openZip(source, archiveLimits)
  const last = zip.files.get('49')
  if (last) await zip.bytes(last)
  expect(read).toBeLessThan(1_500_000)
})

test('an archive with changed bytes is read or refused with a FormatError', async () => {
  const packed = deflated({ packed: deflateRawSync(Buffer.alloc(300, 'x')), size: 300 })
  const members = [plain, packed, withUnicodeName('b', 'ж'), { name: 'c/' }, { name: 'd' }]
  const whole = craft(members, { comment: 'a comment' })
  const change = fc.record({ at: fc.nat(whole.length - 1), byte: fc.nat(255) })
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 4 }), async (changes) => {
      const bytes = Buffer.from(whole)
      for (const { at, byte } of changes) bytes[at] = byte
      await readAll(bytes).catch((thrown) => expect(thrown.name).toBe('FormatError'))
    }),
    { numRuns: 2000, seed: 1 },
  )
})

// ---- helpers: builds an archive with exactly the requested bytes

function craft(members: Crafted[], end: CraftedEnd = {}): Buffer {
  const locals: Buffer[] = []
  const headers: Buffer[] = []
  let at = 0
  for (const member of members) {
    const local = localOf(member)
    headers.push(headerOf(member, at))
    locals.push(local)
    at += local.length
  }
  const directory = Buffer.concat(headers)
  const comment = Buffer.from(end.comment ?? '', 'latin1')
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(end.disk ?? 0, 4)
  record.writeUInt16LE(end.entries ?? members.length, 8)
  record.writeUInt16LE(end.entries ?? members.length, 10)
  record.writeUInt32LE(end.size ?? directory.length, 12)
  record.writeUInt32LE(end.start ?? at, 16)
  record.writeUInt16LE(comment.length, 20)
  const large = end.large ?? Buffer.alloc(0)
  return Buffer.concat([...locals, directory, large, record, comment, Buffer.from(end.tail ?? '')])
}

function localOf(member: Crafted): Buffer {
  const header = Buffer.alloc(30)
  header.writeUInt32LE(member.localSignature ?? 0x04034b50, 0)
  header.writeUInt16LE(nameOf(member).length, 26)
  header.writeUInt16LE(member.localExtraLength ?? member.localExtra?.length ?? 0, 28)
  return Buffer.concat([
    header,
    nameOf(member),
    member.localExtra ?? Buffer.alloc(0),
    packedOf(member),
  ])
}

function headerOf(member: Crafted, at: number): Buffer {
  const content = Buffer.from(member.content ?? '')
  const header = Buffer.alloc(46)
  header.writeUInt32LE(member.signature ?? 0x02014b50, 0)
  header.writeUInt16LE(member.flags ?? 0, 8)
  header.writeUInt16LE(member.method ?? 0, 10)
  header.writeUInt32LE(member.crc ?? crc32(content), 16)
  header.writeUInt32LE(member.packedSize ?? packedOf(member).length, 20)
  header.writeUInt32LE(member.size ?? content.length, 24)
  header.writeUInt16LE(nameOf(member).length, 28)
  header.writeUInt16LE(member.extra?.length ?? 0, 30)
  header.writeUInt16LE(member.disk ?? 0, 34)
  header.writeUInt32LE(((member.mode ?? 0o100644) << 16) >>> 0, 38)
  header.writeUInt32LE(member.start ?? at, 42)
  return Buffer.concat([header, nameOf(member), member.extra ?? Buffer.alloc(0)])
}

function nameOf({ name }: Crafted): Buffer {
  return Buffer.from(name)
}

function packedOf({ packed, content }: Crafted): Buffer {
  return packed ?? Buffer.from(content ?? '')
}

function deflated(given: Partial<Crafted>): Crafted {
  return { name: 'a.txt', method: 8, size: 100_000, ...given }
}

function withUnicodeName(name: string, unicode: string): Crafted {
  const field = Buffer.concat([Buffer.alloc(9), Buffer.from(unicode)])
  field.writeUInt16LE(0x7075, 0)
  field.writeUInt16LE(field.length - 4, 2)
  field.writeUInt8(1, 4)
  field.writeUInt32LE(crc32(name), 5)
  return { name, extra: field }
}

function withExtra(id: number, length: number): Crafted {
  const extra = Buffer.alloc(4)
  extra.writeUInt16LE(id, 0)
  extra.writeUInt16LE(length, 2)
  return { ...plain, extra }
}

function hugeMember(): Crafted {
  const extra = Buffer.alloc(12, 0xff)
  extra.writeUInt16LE(1, 0)
  extra.writeUInt16LE(8, 2)
  return { ...plain, size: 0xffffffff, extra }
}

function largeEnd(position: number): CraftedEnd {
  const large = Buffer.alloc(20)
  large.writeUInt32LE(0x07064b50, 0)
  large.writeBigUInt64LE(BigInt(position), 8)
  large.writeUInt32LE(1, 16)
  return { entries: 0xffff, large }
}

async function readAll(bytes: Buffer): Promise<string[]> {
  const zip = await openZip(sourceOf(bytes))
  const contents: string[] = []
  for (const entry of zip.files.values()) {
    contents.push(Buffer.from(await zip.bytes(entry)).toString())
  }
  return contents
}

test('the packed bytes of a member are located without reading them', async () => {
  const bytes = craft([plain, { name: 'b.txt', content: 'more text' }])
  const zip = await openZip(sourceOf(bytes))
  const entry = zip.files.get('b.txt')
  if (!entry) throw new Error('no b.txt')
  const start = await zip.dataStart(entry)
  expect(String(bytes.subarray(start, start + entry.packedSize))).toBe('more text')
})
