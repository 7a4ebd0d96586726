import { gzipSync } from 'node:zlib'
import {
  binarySize,
  type CraftedMember,
  craftTar,
  longName,
  pax,
  tarEnd,
} from '@reticle/formats/testing/tar'
import {
  createNoise,
  escaped,
  type HostileFile,
  mostEntries,
  noMedia,
  type OddFile,
  zeros,
} from './hostile.ts'

/** Hostile tar archives, plain and compressed. See docs/spec/reliability.md#uploads-and-archives. */

const png = `${escaped}.png`
const cutOff = 'archive is damaged: it was cut off: its end is missing'
const range = 'archive is damaged: a size is out of range'

type Message = string | RegExp

/**
 * Builds archives that must be refused.
 * @param picture a small PNG
 */
export function hostileTars(picture: Uint8Array): HostileFile[] {
  const good: CraftedMember = { name: 'a.png', content: picture }
  const tar = (what: string, members: CraftedMember[], message: Message, end?: Uint8Array) => ({
    ...{ what, name: 'a.tar', message },
    bytes: () => craftTar([good, ...members], end),
  })
  const b: CraftedMember = { name: 'b.png', content: picture }
  const path = (what: string, members: CraftedMember[], reason: string): HostileFile =>
    tar(what, members, new RegExp(`^bad path in archive: ".*" ${reason}$`))
  const special = (what: string, type: string, reason = 'links and devices are not allowed') =>
    tar(what, [{ name: 'b.png', type }], `b.png: ${reason}`)
  const sized = (what: string, size: CraftedMember['size'], message: Message) =>
    tar(what, [{ ...b, size }], message)
  const whole = craftTar([good, b])
  return [
    path('a path with ..', [{ name: `../${png}` }], 'leaves the archive'),
    path('a path with .. and backslashes', [{ name: `a\\..\\..\\${png}` }], 'leaves the archive'),
    path(
      'a folder outside of the archive',
      [{ name: `../${escaped}`, type: '5' }],
      'leaves the archive',
    ),
    path('.. in the prefix field', [{ name: png, prefix: '..' }], 'leaves the archive'),
    path('.. in a long name', [longName(`../${png}`), b], 'leaves the archive'),
    path('.. in a pax record', [pax({ path: `../${png}` }), b], 'leaves the archive'),
    path('an absolute path', [{ name: `/tmp/${png}` }], 'is absolute'),
    path('a path with a drive letter', [{ name: `C:${png}` }], 'is absolute'),
    path('a NUL in a pax record', [pax({ path: 'b\0.png' }), b], 'has control characters'),
    path('a line break in a name', [{ name: 'b\nc.png' }], 'has control characters'),
    path('no name', [{ name: '' }], 'is empty'),
    path('a part that is too long', [longName('x'.repeat(256)), b], 'has a part over 255 bytes'),
    path('a path that is too long', [longName('x/'.repeat(2100)), b], 'is longer than 4096 bytes'),
    tar(
      'a name of a megabyte',
      [longName('x'.repeat(1024 ** 2)), b],
      'archive is damaged: what it says of a member is longer than 65536 bytes',
    ),
    special('a hard link', '1'),
    special('a symbolic link', '2'),
    special('a character device', '3'),
    special('a block device', '4'),
    special('a pipe', '6'),
    special('a sparse member', 'S', 'sparse members cannot be read'),
    special('an unknown member type', 'D', 'members of type "D" are not supported'),
    special(
      'a part of a split archive',
      'M',
      'archive is split over several files; send one whole archive',
    ),
    tar('a wrong checksum', [{ ...b, sum: 1 }], 'archive is damaged: member 2 has no header'),
    sized(
      'a size that is not a number',
      '0000000009x',
      'archive is damaged: the size of a member is no number',
    ),
    sized('a negative size', Buffer.alloc(12, 0xff), range),
    sized('a size of 2^64 - 1', binarySize(2n ** 64n - 1n), range),
    sized('a size over the end of the file', 9000, /^archive is damaged: it was cut off/),
    sized(
      'a declared size of ten gigabytes',
      binarySize(10_000_000_000n),
      /^archive is damaged: it was cut off/,
    ),
    sized(
      'a declared size of a terabyte',
      binarySize(2n ** 40n),
      new RegExp(`^archive too large: it unpacks to ${2 ** 40 + picture.length} bytes or more$`),
    ),
    tar('a wrong pax size', [pax({ size: '99999' }), b], /^archive is damaged: it was cut off/),
    tar('a negative pax size', [pax({ size: '-1' }), b], range),
    tar(
      'an invalid pax record',
      [{ name: 'pax', type: 'x', content: Buffer.from('99 path=c.png\n') }, b],
      'archive is damaged: a pax record does not add up',
    ),
    tar(
      'one path for all members',
      [pax({ path: `../${png}` }, 'g'), b],
      'archive is damaged: all its members have one path',
    ),
    tar('a missing end', [b], cutOff, Buffer.alloc(0)),
    tar('a truncated end', [b], cutOff, Buffer.alloc(511)),
    {
      ...{
        what: 'a truncated member',
        name: 'a.tar',
        message: /^archive is damaged: it was cut off/,
      },
      bytes: () => whole.subarray(0, 1300),
    },
    {
      ...{ what: 'a wrong checksum in the first header', name: 'a.tar', message: noMedia },
      bytes: () => craftTar([{ ...good, sum: 1 }]),
    },
    {
      ...{ what: 'an archive that contains only an archive', name: 'a.tar', message: noMedia },
      bytes: () => craftTar([{ name: 'b.tar', content: whole }]),
    },
    ...packed(good, whole),
  ]
}

function packed(good: CraftedMember, whole: Buffer): HostileFile[] {
  const gz = (what: string, bytes: () => Uint8Array, message: Message): HostileFile => ({
    ...{ what: `compressed: ${what}`, name: 'a.tgz', bytes, message },
  })
  const cut = 'a.tgz: the archive is damaged or cut off'
  const noTar = 'a.tgz: what is packed in it is no tar archive'
  const gzip = gzipSync(craftTar([good, { name: 'noise.bin', content: createNoise(5000) }]))
  const wrong = Buffer.from(gzip)
  wrong.writeUInt32LE(5, wrong.length - 8)
  const length = mostEntries
  return [
    gz('truncated', () => gzip.subarray(0, -1000), cut),
    gz('a wrong checksum', () => wrong, cut),
    gz(
      'garbage in the middle',
      () => Buffer.concat([gzip.subarray(0, 1500), createNoise(3000)]),
      cut,
    ),
    gz('only the header', () => gzip.subarray(0, 10), cut),
    gz(
      'garbage after the header',
      () => Buffer.concat([gzip.subarray(0, 10), createNoise(99)]),
      cut,
    ),
    gz('a truncated archive', () => gzipSync(whole.subarray(0, 1300)), /it was cut off/),
    gz('compressed twice', () => gzipSync(gzip), noTar),
    gz('an image', () => gzipSync(good.content ?? ''), noTar),
    gz('zeros', () => gzipSync(zeros(100)), noTar),
    gz(
      'a bomb',
      () => gzipSync(craftTar([good, { name: 'z.bin', content: zeros(100) }])),
      /^archive too large: it unpacks to more than 6\d{7} bytes$/,
    ),
    gz(
      'a bomb after the end',
      () => gzipSync(craftTar([good], Buffer.concat([tarEnd, zeros(100)]))),
      /^archive too large: it unpacks to more than 6\d{7} bytes$/,
    ),
    gz(
      'one member over the limit',
      () => gzipSync(craftTar(Array.from({ length: length + 1 }, (_, at) => ({ name: `${at}` })))),
      `archive too large: more than ${length} members`,
    ),
    gz(
      'a path with ..',
      () => gzipSync(craftTar([good, { name: `../../${png}` }])),
      `bad path in archive: "../../${png}" leaves the archive`,
    ),
  ]
}

/** Builds archives as common tools write them. */
export function honestTars(one: Uint8Array, two: Uint8Array): OddFile[] {
  const a: CraftedMember = { name: 'a.png', content: one }
  const long = `${'folder/'.repeat(20)}b.png`
  const members: CraftedMember[] = [
    { name: './', type: '5' },
    { name: './in/', type: '5' },
    { ...a, name: './in/a.png' },
    pax({ comment: 'for all' }, 'g'),
    pax({ path: 'größe/写真.png', mtime: '1.5' }),
    { ...a, name: 'gr' },
    longName(long),
    { name: 'b', content: two },
    { name: '__MACOSX/._a.png', content: Buffer.from('junk') },
  ]
  const frames = [long, 'größe/写真.png', 'in/a.png']
  const whole = craftTar(members)
  return [
    { what: 'pax headers, long names and folders', name: 'a.tar', frames, bytes: () => whole },
    {
      ...{ what: 'compressed in two parts', name: 'a.tgz', frames },
      bytes: () => Buffer.concat([gzipSync(whole.subarray(0, 700)), gzipSync(whole.subarray(700))]),
    },
    {
      ...{ what: 'padding at the end', name: 'a.tar', frames: ['a.png'] },
      bytes: () => craftTar([a], Buffer.alloc(10_240)),
    },
  ]
}
