import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { type ForeignName, foreignKind } from './kinds/foreign.ts'
import { sniffedBytes, sniffFile } from './sniff.ts'

const dot = sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })

describe('a picture is recognised by its bytes', () => {
  test.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)('%s', async (format) => {
    const bytes = await dot.clone().toFormat(format).toBuffer()
    expect(sniffFile(bytes.subarray(0, sniffedBytes))).toEqual({
      is: 'image',
      media_type: `image/${format}`,
    })
  })
})

const drawing = { is: 'foreign', foreign: foreignKind('svg') }

test.each([
  ['a zip archive', 'PK\x03\x04', { is: 'zip' }],
  ['an empty zip archive', 'PK\x05\x06', { is: 'zip' }],
  ['an mp4', '\0\0\0\x18ftypisom', { is: 'video' }],
  ['a mov without a type', '\0\0\0\x08wide\0\0\0\0mdat', { is: 'video' }],
  ['an avi', 'RIFF\0\0\0\0AVI LIST', { is: 'video' }],
  ['a matroska video', '\x1aE\xdf\xa3', { is: 'video' }],
  ['a flash video', 'FLV\x01', { is: 'video' }],
  ['a pdf', '%PDF-1.7', { is: 'pdf' }],
  ['a drawing', '<svg xmlns="x">', drawing],
  ['a drawing with a prologue', '<?xml version="1.0"?>\n<!-- x -->\n<svg>', drawing],
  [
    'a drawing behind many comments and a byte order mark',
    `\xef\xbb\xbf <?xml?> ${'<!---->'.repeat(60)}<!DOCTYPE svg>`,
    drawing,
  ],
  ['comments and nothing behind them', `${'<!---->'.repeat(70)}x`, { is: 'unknown' }],
  ['comments that overlap', '<!--'.repeat(120), { is: 'unknown' }],
  ['a comment that is never closed', `<!--${'-'.repeat(500)}`, { is: 'unknown' }],
  ['spaces alone', ' '.repeat(512), { is: 'unknown' }],
  ['a declaration that is never closed', `<?xml${' '.repeat(500)}`, { is: 'unknown' }],
  ['a drawing of another name', '<svgs>', { is: 'unknown' }],
  [
    'a drawing with the mark of a webp in it',
    "<svg a='WEBP' xmlns='http://www.w3.org/2000/svg'/>",
    drawing,
  ],
  [
    'a drawing with the mark of an avif in it',
    '<!--ftypavif--><svg xmlns="http://www.w3.org/2000/svg"/>',
    drawing,
  ],
  ['a text with the mark of an avi in it', 'so says AVI LIST', { is: 'unknown' }],
  ['a tar without its checksum', `a${'\0'.repeat(256)}ustar`, { is: 'unknown' }],
  ['a file packed by gzip', '\x1f\x8b\x08', { is: 'packed', by: 'gzip' }],
  [
    'an archive of another kind',
    'Rar!\x1a\x07\x01\0',
    { is: 'foreign', foreign: foreignKind('rar') },
  ],
  [
    'a bitmap',
    `BM${'\0'.repeat(12)}\x28${'\0'.repeat(40)}`,
    { is: 'image', media_type: 'image/bmp' },
  ],
  ['text that begins like a bitmap', 'BMW is the name of a car, no picture', { is: 'unknown' }],
  ['text', 'hello', { is: 'unknown' }],
  ['nothing', '', { is: 'unknown' }],
])('%s', (_, text, kind) => {
  expect(sniffFile(Buffer.from(text, 'latin1'))).toEqual(kind)
})

const packets = (bytes: number, before: number, header = 'G@\x11\x10') =>
  Array.from({ length: 4 }, () => '\0'.repeat(before) + header.padEnd(bytes - before, '\xff')).join(
    '',
  )

const asf = '\x30\x26\xb2\x75\x8e\x66\xcf\x11\xa6\xd9\x00\xaa\x00\x62\xce\x6c'
const oggOf = (codec: string) => `OggS\0\x02${'\0'.repeat(22)}${codec}`

describe('a video is recognised by its container', () => {
  test.each([
    ['a transport stream', packets(188, 0)],
    ['a transport stream of AVCHD, with time codes', packets(192, 4)],
    ['a transport stream with parity', packets(204, 0)],
    ['a transport stream that begins within a packet', packets(188, 0).slice(100)],
    ['AVCHD that begins within a packet', packets(192, 4).slice(130)],
    ['a program stream', '\0\0\x01\xba\x44'],
    ['Windows Media', asf],
    ['Ogg of Theora', oggOf('\x80theora')],
    ['Ogg of Theora and Vorbis', `${oggOf('\x80theora')}${oggOf('\x01vorbis')}`],
  ])('%s', (_, text) => {
    expect(sniffFile(Buffer.from(text, 'latin1'))).toEqual({ is: 'video' })
  })

  test.each([
    ['text of one letter', 'G'.repeat(512)],
    ['lines as long as packets', `G${'ATTACA'.repeat(31)}\n`.repeat(3)],
    ['packets with errors', packets(188, 0, 'G\xc0\x11\x10')],
    ['packets that hold nothing', packets(188, 0, 'G@\x11\0')],
    ['fewer packets than three', packets(188, 0).slice(0, 370)],
  ])('%s is not a transport stream', (_, text) => {
    expect(sniffFile(Buffer.from(text, 'latin1'))).toEqual({ is: 'unknown' })
  })
})

/** Creates a TIFF of these tags, each with one number. */
function tiff(tags: [tag: number, value: number][], isLittle = true): string {
  const bytes = Buffer.alloc(10 + tags.length * 12 + 4)
  bytes.write(isLittle ? 'II*\0' : 'MM\0*', 'latin1')
  const put16 = (value: number, at: number) =>
    isLittle ? bytes.writeUInt16LE(value, at) : bytes.writeUInt16BE(value, at)
  const put32 = (value: number, at: number) =>
    isLittle ? bytes.writeUInt32LE(value, at) : bytes.writeUInt32BE(value, at)
  put32(8, 4)
  put16(tags.length, 8)
  for (const [entry, [tag, value]] of tags.entries()) {
    put16(tag, 10 + entry * 12)
    put16(4, 12 + entry * 12)
    put32(1, 14 + entry * 12)
    put32(value, 18 + entry * 12)
  }
  return bytes.toString('latin1')
}

const [subfile, compression, photometric, subIfds, dngVersion] = [254, 259, 262, 330, 50_706]

describe('a raw camera picture is not one of the supported TIFFs', () => {
  test.each([
    ['DNG', tiff([[dngVersion, 4]])],
    ['DNG, most significant byte first', tiff([[dngVersion, 4]], false)],
    [
      'NEF',
      tiff([
        [subfile, 1],
        [subIfds, 400],
      ]),
    ],
    ['PEF', tiff([[compression, 65_535]])],
    ['colours behind a filter', tiff([[photometric, 32_803]])],
    ['CR2', 'II*\0\x10\0\0\0CR\x02\0'.padEnd(64, '\0')],
    ['CR3', '\0\0\0\x18ftypcrx \0\0\0\x01'],
    ['ORF', 'IIRO\x08\0\0\0'],
    ['RW2', 'IIU\0\x18\0\0\0'],
    ['RAF', 'FUJIFILMCCD-RAW 0201'],
  ])('%s', (_, text) => {
    const kind = { is: 'foreign', foreign: foreignKind('raw') }
    expect(sniffFile(Buffer.from(text, 'latin1'))).toEqual(kind)
  })

  test.each([
    [
      'of plain tags',
      tiff([
        [subfile, 0],
        [compression, 5],
        [photometric, 2],
      ]),
    ],
    [
      'of a pyramid',
      tiff([
        [subfile, 0],
        [subIfds, 900],
      ]),
    ],
    ['that is large', 'II+\0\x08\0\0\0\x10\0\0\0\0\0\0\0'],
    ['whose directory is further on', 'II*\0\xff\xff\0\0'.padEnd(64, '\0')],
  ])('a TIFF %s is a picture', (_, text) => {
    const kind = { is: 'image', media_type: 'image/tiff' }
    expect(sniffFile(Buffer.from(text, 'latin1'))).toEqual(kind)
  })
})

const heif = (brand: string, ...compatible: string[]) => {
  const names = [brand, '\0\0\0\0', ...compatible].join('')
  return `\0\0\0${String.fromCharCode(8 + names.length)}ftyp${names}`
}

describe('an unsupported kind is recognised by its bytes', () => {
  const kinds: [ForeignName, string][] = [
    ['heic', heif('heic', 'mif1', 'heic')],
    ['heic', heif('mif1', 'mif1', 'heic')],
    ['heic', heif('heix')],
    ['heic', heif('hevc')],
    ['jxl', '\xff\x0a\0'],
    ['jxl', '\0\0\0\x0cJXL \r\n\x87\n'],
    ['jp2', '\0\0\0\x0cjP  \r\n\x87\n'],
    ['psd', '8BPS\0\x01'],
    ['exr', 'v/1\x01\x02'],
    ['hdr', '#?RADIANCE\n'],
    ['pnm', 'P5\n4 4\n255\n'],
    ['pnm', 'Pf\n4 4\n'],
    ['dicom', `${'\0'.repeat(128)}DICM`],
    ['fits', 'SIMPLE  =                    T'],
    ['icon', `\0\0\x01\0\x01\0${'\x10\x10\0\0'.padEnd(20, '\0')}`],
    ['dds', 'DDS \x7c\0\0\0'],
    ['real', '.RMF\0\0'],
    ['mxf', '\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02\x01'],
    ['rawVideo', '\0\0\0\x01\x67\x64'],
    ['rawVideo', '\0\0\x01\xb3\x14'],
    ['recorder', 'DHAV\xfd'],
    ['playlist', '#EXTM3U\n#EXT-X-VERSION:3'],
    ['mp3', 'ID3\x04\0'],
    ['mp3', '\xff\xfb\x90'],
    ['wav', 'RIFF\0\0\0\0WAVEfmt '],
    ['flac', 'fLaC\0'],
    ['oggSound', oggOf('\x01vorbis')],
    ['oggSound', oggOf('OpusHead')],
    ['m4a', heif('M4A ', 'mp42')],
    ['office', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
    ['office', `PK\x03\x04${'\0'.repeat(26)}[Content_Types].xml`],
    ['openDocument', `PK\x03\x04${'\0'.repeat(26)}mimetypeapplication/vnd.oasis`],
    ['rtf', '{\\rtf1'],
    ['postScript', '%!PS-Adobe-3.0'],
    ['html', '<!DOCTYPE html><html>'],
    ['sevenZip', '7z\xbc\xaf\x27\x1c'],
    ['xz', '\xfd7zXZ\0'],
    ['bzip2', 'BZh91AY&SY'],
    ['splitZip', 'PK\x07\x08'],
    ['ply', 'ply\nformat ascii 1.0'],
    ['pcd', '# .PCD v0.7'],
    ['las', 'LASF\0\0'],
    ['gltf', 'glTF\x02\0\0\0'],
    ['stl', 'solid cube\nfacet normal 0 0 1'],
    ['hdf5', '\x89HDF\r\n\x1a\n'],
    ['numpy', '\x93NUMPY\x01'],
    ['bag', '#ROSBAG V2.0'],
  ]
  test.each(kinds)('%s (%j)', (name, text) => {
    const kind = { is: 'foreign', foreign: foreignKind(name) }
    expect(sniffFile(Buffer.from(text, 'latin1'))).toEqual(kind)
  })

  test.each([
    ['an AVIF of several brands', heif('mif1', 'mif1', 'avif', 'miaf'), 'image'],
    ['a video of other brands', heif('isom', 'iso2', 'mp41'), 'video'],
    ['a text about a car', 'ID3 of Volkswagen', 'unknown'],
    ['a text about paper', 'P5 is larger than A5', 'unknown'],
    ['a list of numbers', '070701,070702\n', 'unknown'],
    ['a text about games', 'MMORPG of the year', 'unknown'],
    ['a text about something solid', 'solid ground', 'unknown'],
  ])('%s', (_, text, is) => {
    expect(sniffFile(Buffer.from(text, 'latin1')).is).toBe(is)
  })
})
