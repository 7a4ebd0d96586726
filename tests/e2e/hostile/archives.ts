import {
  craftZip,
  extraField,
  largeField,
  nameField,
  type ZipEnd,
  type ZipMember,
} from '../../support/crafted-zip.ts'
import { escaped, type HostileFile, mostEntries, noMedia, type OddFile, zeros } from './hostile.ts'

/** Hostile zip archives. See docs/spec/reliability.md#uploads-and-archives. */

const text = Buffer.from('a text, and no picture')
const damaged = (what: string) => `archive is damaged: ${what}`
const png = `${escaped}.png`

/**
 * Builds archives that must be refused.
 * @param picture a small PNG
 */
export function hostileZips(picture: Uint8Array): HostileFile[] {
  const good: ZipMember = { name: 'a.png', bytes: picture }
  const zip = (what: string, members: ZipMember[], message: string | RegExp, end?: ZipEnd) => ({
    ...{ what, name: 'a.zip', message },
    bytes: () => craftZip(members, end),
  })
  /** Builds an archive with a hostile member name beside a valid image. */
  const named = (what: string, name: string, reason: string): HostileFile =>
    zip(what, [good, { name, bytes: picture }], new RegExp(`^bad path in archive: ".*" ${reason}$`))
  const member = (what: string, given: Partial<ZipMember>, reason: string): HostileFile =>
    zip(what, [good, { name: 'b.png', bytes: picture, ...given }], `b.png: ${reason}`)
  const whole = craftZip([good, { name: 'b.png', bytes: picture }])
  const changed = (what: string, bytes: Uint8Array, message: string | RegExp): HostileFile => ({
    ...{ what, name: 'a.zip', message },
    bytes: () => bytes,
  })
  const special = (what: string, mode: number) =>
    member(what, { declared: { mode } }, 'links and devices are not allowed')
  return [
    named('a path with ..', `../${png}`, 'leaves the archive'),
    named('a path with .. inside', `a/../../${png}`, 'leaves the archive'),
    named('a path with many ..', `${'../'.repeat(40)}tmp/${png}`, 'leaves the archive'),
    named('a path with .. and backslashes', `..\\..\\${png}`, 'leaves the archive'),
    named('a folder outside of the archive', `../${escaped}/`, 'leaves the archive'),
    named('an absolute path', `/tmp/${png}`, 'is absolute'),
    named('a path with a drive letter', `C:\\${png}`, 'is absolute'),
    named('a path of a network share', `\\\\server\\${png}`, 'is absolute'),
    named('a NUL in a name', 'b.png\0.txt', 'has control characters'),
    named('a line break in a name', 'b\n2026-03-01 root logged in.png', 'has control characters'),
    named('a terminal escape sequence in a name', 'b\u001b[2J\u009b.png', 'has control characters'),
    named('a part that is too long', `${'x'.repeat(256)}.png`, 'has a part over 255 bytes'),
    named('a path that is too long', `${'x/'.repeat(2100)}b.png`, 'is longer than 4096 bytes'),
    named('no name', '', 'is empty'),
    zip(
      '.. in the Unicode path field',
      [good, { name: 'b.png', extra: nameField('b.png', `../${png}`), bytes: picture }],
      `bad path in archive: "../${png}" leaves the archive`,
    ),
    special('a symbolic link', 0o120777),
    special('a block device', 0o060644),
    special('a character device', 0o020644),
    special('a pipe', 0o010644),
    special('a socket', 0o140644),
    member('encryption', { declared: { flags: 0x0801 } }, 'encrypted members cannot be read'),
    member(
      'strong encryption',
      { declared: { flags: 0x0841 } },
      'encrypted members cannot be read',
    ),
    member('masked headers', { declared: { flags: 0x2801 } }, 'encrypted members cannot be read'),
    ...[1, 9, 12, 14, 93, 99].map((method) =>
      member(
        `the method ${method}`,
        { declared: { method } },
        `compression method ${method} is not supported`,
      ),
    ),
    ...overlapping(good, zip),
    ...bombs(good, zip),
    ...ends(good, zip),
    changed('a missing end record', whole.subarray(0, -22), damaged('its end record is missing')),
    changed('a truncated directory', whole.subarray(0, -60), damaged('its end record is missing')),
    changed('a truncated member', whole.subarray(0, 100), damaged('its end record is missing')),
    changed(
      'garbage after the archive',
      Buffer.concat([whole, Buffer.from('x')]),
      damaged('its end record is missing'),
    ),
    changed(
      'garbage before the archive that looks like a header',
      Buffer.concat([Buffer.from('PK\x03\x04 and more'), whole]),
      /^archive is damaged: its directory breaks at 0$/,
    ),
    changed(
      'two archives in one file',
      Buffer.concat([craftZip([{ name: 'another one.txt', bytes: text }]), whole]),
      /^archive is damaged: /,
    ),
    changed(
      'a program before the archive',
      Buffer.concat([Buffer.from('MZ\x90\0'), whole]),
      noMedia,
    ),
    zip('an empty archive', [], noMedia),
    zip('an archive without images', [{ name: 'a.txt', bytes: text }], noMedia),
    zip('an archive that contains only an archive', [{ name: 'a.zip', bytes: whole }], noMedia),
    zip('members without declared sizes', [untold(picture)], noMedia),
  ]
}

type Zip = (
  what: string,
  members: ZipMember[],
  message: string | RegExp,
  end?: ZipEnd,
) => HostileFile

/** A streamed member whose directory entry has no sizes. */
const untold = (bytes: Uint8Array): ZipMember => ({
  ...{ name: 'a.png', bytes, isStreamed: true },
  declared: { crc: 0, size: 0, packedSize: 0 },
})

function overlapping(good: ZipMember, zip: Zip): HostileFile[] {
  const bytes = good.bytes ?? text
  const b = { ...good, name: 'b.png' }
  const over = (name: string) => damaged(`${name} overlaps other members`)
  const many = Array.from({ length: 500 }, (_, index) => ({
    ...{ name: `${index}.png`, bytes: Buffer.alloc(0) },
    declared: { start: 0, size: bytes.length, packedSize: bytes.length },
  }))
  return [
    zip(
      'two headers for the same data',
      [good, { ...b, declared: { start: 0 } }],
      /^archive .* overlaps/,
    ),
    zip('many headers for the same data', [good, ...many], /^archive is damaged: .* overlaps/),
    zip(
      'data that overlaps another member',
      [good, { ...b, declared: { start: 20 } }],
      /overlaps other/,
    ),
    zip(
      'data that reaches into the directory',
      [good, { ...b, declared: { size: bytes.length + 90, packedSize: bytes.length + 90 } }],
      over('b.png'),
    ),
    zip(
      'data after the end of the file',
      [good, { ...b, declared: { start: 90_000 } }],
      over('b.png'),
    ),
    zip(
      'a header that reaches into the next member',
      [{ ...good, local: { extraLength: 9 } }, b],
      over('a.png'),
    ),
    zip(
      'a member without its header',
      [good, { ...b, local: { signature: 1 } }],
      damaged('b.png has no header'),
    ),
    zip(
      'a stored member with two different sizes',
      [good, { ...b, declared: { size: 9 } }],
      damaged('sizes of b.png differ'),
    ),
  ]
}

function bombs(good: ZipMember, zip: Zip): HostileFile[] {
  const bytes = good.bytes ?? text
  const falseSize = (index: number): ZipMember => ({
    ...{ name: `${index}.bin`, packed: Buffer.alloc(100) },
    declared: { size: 60_000_000 },
  })
  const empty = (index: number) => ({ name: `${index}` })
  const length = mostEntries
  const deflated: ZipMember = { ...good, name: 'b.png', isDeflated: true }
  return [
    {
      ...{ what: 'a zip bomb with a ratio of 1,000', name: 'a.zip' },
      bytes: () => craftZip([good, { name: 'z.bin', bytes: zeros(100), isDeflated: true }]),
      message: 'archive too large: z.bin unpacks to 104857600 bytes',
    },
    zip(
      'a zip bomb of many members',
      [good, ...Array.from({ length: 20 }, (_, index) => falseSize(index))],
      `archive too large: it unpacks to ${20 * 60_000_000 + bytes.length} bytes`,
    ),
    zip(
      'ten gigabytes of zeros',
      [
        good,
        {
          ...{ name: 'z.bin', packed: Buffer.alloc(1000), declared: { size: 0xffffffff } },
          extra: largeField(10_000_000_000n),
        },
      ],
      'archive too large: z.bin unpacks to 10000000000 bytes',
    ),
    {
      ...{ what: 'a zip bomb that declares a small size', name: 'a.zip' },
      bytes: () => {
        const packed = { bytes: Buffer.concat([bytes, zeros(100)]), isDeflated: true }
        return craftZip([good, { name: 'b.png', ...packed, declared: { size: 1000 } }])
      },
      message: 'b.png: the file is larger than the 1000 bytes that the archive tells',
    },
    zip(
      'an invalid deflate stream',
      [good, { name: 'b.png', bytes, packed: Buffer.from('garbage') }],
      'b.png: the file cannot be unpacked',
    ),
    zip(
      'a truncated deflate stream',
      [good, { ...deflated, packed: Buffer.of(0x04, 0x00) }],
      'b.png: the file cannot be unpacked',
    ),
    zip('two million declared members', [good], damaged('its directory is too short'), {
      large: { entries: 2_000_000n },
    }),
    {
      ...{ what: 'one member over the limit', name: 'a.zip' },
      bytes: () => craftZip([good, ...Array.from({ length }, (_, index) => empty(index))]),
      message: `archive too large: ${length + 1} members, at most ${length} are allowed`,
    },
    {
      ...{ what: 'a path with .. after many members', name: 'a.zip' },
      bytes: () =>
        craftZip([
          ...Array.from({ length: length - 1 }, (_, index) => empty(index)),
          { name: `../${png}` },
        ]),
      message: `bad path in archive: "../${png}" leaves the archive`,
    },
  ]
}

function ends(good: ZipMember, zip: Zip): HostileFile[] {
  const split = 'archive is split over several files; send one whole archive'
  const outside = damaged('its directory lies outside of it')
  const range = damaged('a size is out of range')
  const most = 0xffffffffffffffffn
  const extra = (what: string, given: Buffer, message: string, declared = {}) =>
    zip(what, [good, { ...good, name: 'b.png', extra: given, declared }], message)
  return [
    zip('a directory on another disk', [good], split, { disk: 1 }),
    zip(
      'a member on another disk',
      [good, { ...good, name: 'b.png', declared: { disk: 1 } }],
      split,
    ),
    zip('a directory after the end of the file', [good], outside, { start: 0xfffffff0 }),
    zip('a directory longer than the file', [good], outside, { size: 0x7fffffff }),
    zip('more members than fit into the directory', [good], damaged('its directory is too short'), {
      entries: 9,
    }),
    zip(
      'a wrong header in the directory',
      [good, { ...good, name: 'b.png', declared: { signature: 7 } }],
      damaged('its directory breaks at 1'),
    ),
    zip('a zip64 directory at a negative position', [good], range, { large: { start: most } }),
    zip('a zip64 directory of the maximum size', [good], range, { large: { size: most } }),
    zip('a zip64 record at a negative position', [good], range, { large: { position: most } }),
    zip(
      'a zip64 record after the end of the file',
      [good],
      damaged('its zip64 record lies outside of it'),
      {
        large: { position: 1n << 40n },
      },
    ),
    zip('an invalid zip64 record', [good], damaged('its zip64 record is missing'), {
      large: { position: 0n },
    }),
    zip('a zip64 directory at a huge position', [good], outside, { large: { start: 1n << 50n } }),
    extra('a negative zip64 size', largeField(most), range, { size: 0xffffffff }),
    extra('a missing zip64 size', Buffer.alloc(0), damaged('a zip64 field is missing'), {
      start: 0xffffffff,
    }),
    extra('an extra field that is too long', lying(90), damaged('an extra field is too long')),
  ]
}

/** Builds a member that declares a length but has no bytes. */
function lying(length: number): Buffer {
  const field = extraField(0x7075, Buffer.alloc(0))
  field.writeUInt16LE(length, 2)
  return field
}

/**
 * Builds archives as common tools write them.
 * @param one a small PNG
 * @param two another small PNG
 */
export function honestZips(one: Uint8Array, two: Uint8Array): OddFile[] {
  const zip = (what: string, members: ZipMember[], frames: string[], end?: ZipEnd): OddFile => ({
    ...{ what, name: 'a.zip', frames },
    bytes: () => craftZip(members, end),
  })
  const a: ZipMember = { name: 'a.png', bytes: one }
  const b: ZipMember = { name: 'b.png', bytes: two }
  const size = 0xffffffff
  return [
    zip('members packed and stored', [{ ...a, isDeflated: true }, b], ['a.png', 'b.png']),
    zip('sizes after the data', [{ ...a, isStreamed: true, isDeflated: true }], ['a.png']),
    zip(
      'sizes of zip64',
      [
        {
          ...{ ...a, extra: largeField(BigInt(one.length), BigInt(one.length), 0n) },
          declared: { size, packedSize: size, start: size },
        },
      ],
      ['a.png'],
      { large: {} },
    ),
    zip('folders', [{ name: 'in/' }, { ...a, name: 'in/a.png' }, b], ['b.png', 'in/a.png']),
    zip(
      'names in several scripts',
      [
        { ...a, name: 'größe/写真 №1.png' },
        { ...b, name: Buffer.from('\xe9.png', 'latin1'), declared: { flags: 0 } },
      ],
      ['größe/写真 №1.png', 'é.png'],
    ),
    zip(
      'files that operating systems add',
      [
        a,
        ...['__MACOSX/._a.png', '._a.png', 'in/.DS_Store', 'Thumbs.db', 'desktop.ini'].map(
          (name) => ({ name, bytes: text }),
        ),
      ],
      ['a.png'],
    ),
    zip('backslashes between folders', [{ ...a, name: 'in\\a.png' }], ['in/a.png']),
    zip('a comment', [a], ['a.png'], { comment: `PK\x05\x06${'\0'.repeat(30)}` }),
    zip('a repeated name, of which the last counts', [{ ...b, name: 'a.png' }, a], ['a.png']),
    zip('a wrong checksum', [{ ...a, declared: { crc: 5 } }], ['a.png']),
  ]
}
