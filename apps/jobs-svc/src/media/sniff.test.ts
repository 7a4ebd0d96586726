import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { sniff, sniffedBytes } from './sniff.ts'

const dot = sharp({ create: { width: 2, height: 2, channels: 3, background: 'red' } })

describe('a picture is known by its bytes', () => {
  test.each(['jpeg', 'png', 'webp', 'gif', 'tiff', 'avif'] as const)('%s', async (format) => {
    const bytes = await dot.clone().toFormat(format).toBuffer()
    expect(sniff(bytes.subarray(0, sniffedBytes))).toEqual({
      is: 'image',
      media_type: `image/${format}`,
    })
  })
})

test.each([
  ['a zip archive', 'PK\x03\x04', { is: 'zip' }],
  ['an empty zip archive', 'PK\x05\x06', { is: 'zip' }],
  ['an mp4', '\0\0\0\x18ftypisom', { is: 'video' }],
  ['a mov without a type', '\0\0\0\x08wide\0\0\0\0mdat', { is: 'video' }],
  ['an avi', 'RIFF\0\0\0\0AVI LIST', { is: 'video' }],
  ['a matroska video', '\x1aE\xdf\xa3', { is: 'video' }],
  ['a flash video', 'FLV\x01', { is: 'unsupported', media_type: 'video' }],
  ['a pdf', '%PDF-1.7', { is: 'pdf' }],
  ['a drawing', '<svg xmlns="x">', { is: 'unsupported', media_type: 'image/svg+xml' }],
  [
    'a drawing with a prologue',
    '<?xml version="1.0"?>\n<!-- x -->\n<svg>',
    { is: 'unsupported', media_type: 'image/svg+xml' },
  ],
  [
    'a drawing behind many comments and a byte order mark',
    `\xef\xbb\xbf <?xml?> ${'<!---->'.repeat(60)}<!DOCTYPE svg>`,
    { is: 'unsupported', media_type: 'image/svg+xml' },
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
    { is: 'unsupported', media_type: 'image/svg+xml' },
  ],
  [
    'a drawing with the mark of an avif in it',
    '<!--ftypavif--><svg xmlns="http://www.w3.org/2000/svg"/>',
    { is: 'unsupported', media_type: 'image/svg+xml' },
  ],
  ['a text with the mark of an avi in it', 'so says AVI LIST', { is: 'unknown' }],
  ['a tar without its checksum', `a${'\0'.repeat(256)}ustar`, { is: 'unknown' }],
  ['a file packed by gzip', '\x1f\x8b\x08', { is: 'packed', by: 'gzip' }],
  ['an archive of another kind', 'Rar!', { is: 'unsupported', media_type: 'archive' }],
  [
    'a bitmap',
    `BM${'\0'.repeat(12)}\x28${'\0'.repeat(40)}`,
    { is: 'image', media_type: 'image/bmp' },
  ],
  ['text that begins like a bitmap', 'BMW is the name of a car, no picture', { is: 'unknown' }],
  ['text', 'hello', { is: 'unknown' }],
  ['nothing', '', { is: 'unknown' }],
])('%s', (_, text, kind) => {
  expect(sniff(Buffer.from(text, 'latin1'))).toEqual(kind)
})
