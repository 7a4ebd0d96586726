import sharp from 'sharp'
import { createBitmap, type ImageFile } from '../../support/pictures.ts'
import { createNoise, type HostileFile, noMedia, type OddFile, zeros } from './hostile.ts'
import {
  claiming,
  gifOf,
  greyRows,
  idat,
  iend,
  ihdr,
  packedChunk,
  pngOf,
  tiffOf,
  writeTiffPages,
} from './image-bytes.ts'

/** Hostile images. See docs/spec/reliability.md#bad-input. */

const width = 160
const height = 120

export type WholeImages = Record<'jpeg' | 'png' | 'webp' | 'gif' | 'tiff' | 'avif', Buffer>

/** Creates an image of noise in every format, in which every byte matters. */
export async function wholeImages(): Promise<WholeImages> {
  const raw = { width, height, channels: 3 as const }
  const image = sharp(createNoise(width * height * 3), { raw })
  const made = (format: keyof WholeImages) => image.clone().toFormat(format).toBuffer()
  const [jpeg, png, webp] = await Promise.all([made('jpeg'), made('png'), made('webp')])
  const [gif, tiff, avif] = await Promise.all([made('gif'), made('tiff'), made('avif')])
  return { jpeg, png, webp, gif, tiff, avif }
}

const cap = 178_956_970
const tooMany = (name: string, sides: string) =>
  `${name}: ${sides} pixels are too many, at most ${cap} are allowed`
const svg = /^a\.\w+: SVG drawings are not read\. Pictures are read as JPEG, PNG, /
const drawing = "<svg xmlns='http://www.w3.org/2000/svg' width='30000' height='30000'/>"
const lines = (...all: string[]) => Buffer.from(all.join('\n'))

/**
 * Builds images that must be refused. Their type is detected by the first bytes, which are missing or claim too much.
 */
export function hostileImages(whole: WholeImages): HostileFile[] {
  const one = (what: string, name: string, bytes: Uint8Array, message: HostileFile['message']) => ({
    ...{ what, name, message },
    bytes: () => bytes,
  })
  const unreadable = (what: string, name: string, bytes: Uint8Array) =>
    one(what, name, bytes, `${name}: the image cannot be read`)
  const large = (what: string, name: string, bytes: Uint8Array, sides: string) =>
    one(what, name, bytes, tooMany(name, sides))
  const square = 60_000
  return [
    large(
      'a PNG',
      'a.png',
      pngOf(ihdr(square, square), idat(createNoise(9)), iend),
      '60000 x 60000',
    ),
    large('a JPEG', 'a.jpg', claiming.jpeg(whole.jpeg, 65_500, 65_500), '65500 x 65500'),
    large('a WebP', 'a.webp', claiming.webp(whole.webp, 16_383, 16_383), '16383 x 16383'),
    large('a GIF', 'a.gif', gifOf(65_535, 65_535), '65535 x 65535'),
    large('a TIFF', 'a.tif', tiffOf({ width: square, height: square, length: 9 }), '60000 x 60000'),
    large('an AVIF', 'a.avif', claiming.avif(whole.avif, 20_000, 20_000), '20000 x 20000'),
    large('a bitmap', 'a.bmp', createBitmap(4, 4, [square, square]), '60000 x 60000'),
    unreadable('a bitmap of negative width', 'a.bmp', createBitmap(4, 4, [-4, 4])),
    unreadable(
      'a bitmap of the smallest 32-bit height',
      'a.bmp',
      createBitmap(4, 4, [4, -(2 ** 31)]),
    ),
    unreadable('a PNG 1,577,058,336 pixels wide', 'a.png', pngOf(ihdr(1_577_058_336, 24), iend)),
    unreadable('a PNG of no pixels', 'a.png', pngOf(ihdr(0, 0), idat(createNoise(9)), iend)),
    unreadable('a JPEG truncated in its header', 'a.jpg', whole.jpeg.subarray(0, 40)),
    unreadable('a PNG truncated in its header', 'a.png', whole.png.subarray(0, 20)),
    unreadable('a WebP truncated in its header', 'a.webp', whole.webp.subarray(0, 24)),
    unreadable('a GIF truncated in its header', 'a.gif', whole.gif.subarray(0, 8)),
    unreadable('a truncated WebP', 'a.webp', whole.webp.subarray(0, 5000)),
    unreadable('a truncated GIF', 'a.gif', whole.gif.subarray(0, 5000)),
    unreadable('a TIFF truncated before its tags', 'a.tif', whole.tiff.subarray(0, 5000)),
    unreadable('an AVIF truncated in its header', 'a.avif', whole.avif.subarray(0, 100)),
    unreadable('noise after a JPEG signature', 'a.jpg', marked('\xff\xd8\xff')),
    unreadable('noise after a PNG signature', 'a.png', marked('\x89PNG\r\n\x1a\n')),
    unreadable('noise after a TIFF signature', 'a.tif', marked('MM\0*')),
    unreadable('noise after a GIF signature', 'a.gif', marked('GIF89a')),
    one('an SVG with the extension .png', 'a.png', lines(drawing), svg),
    one('an SVG with an XML declaration', 'a.png', lines('<?xml version="1.0"?>', drawing), svg),
    one(
      'an SVG with a WebP signature',
      'a.webp',
      lines(drawing.replace('<svg', "<svg a='WEBP'")),
      svg,
    ),
    one('an SVG with an AVIF signature', 'a.avif', lines(`<!--ftypavif-->${drawing}`), svg),
    one(
      'a document with a WebP signature',
      'a.webp',
      lines('%PDF-1.4WEBP', '1 0 obj <</Type/Catalog>> endobj', 'trailer <</Root 1 0 R>>'),
      /pdf|^a\.webp: /i,
    ),
    one(
      'a program of drawings',
      'a.jpg',
      lines('push graphic-context', "image over 0,0 0,0 'https://127.0.0.1/a'", 'pop'),
      noMedia,
    ),
    one(
      'a page of PostScript',
      'a.png',
      lines('%!PS-Adobe-3.0', '(%pipe%id) (r) file'),
      /^No media data found\. a\.png: PostScript documents are not read\. Documents are read as PDF/,
    ),
    one(
      'a picture of a library',
      'a.jpg',
      lines('P5', '60000 60000', '255', ''),
      /^a\.jpg: PNM pictures \(.*\) are not read\. Pictures are read as JPEG, PNG, /,
    ),
    one('an empty file', 'a.png', Buffer.alloc(0), noMedia),
  ]
}

const marked = (mark: string) => Buffer.concat([Buffer.from(mark, 'latin1'), createNoise(4000)])

/** Builds images with a valid header and broken pixels, which become frames that cannot be displayed. */
export function brokenImages(whole: WholeImages): ImageFile[] {
  const half = (bytes: Buffer) => bytes.subarray(0, bytes.length * 0.5)
  const damaged = (bytes: Buffer) => Buffer.from(bytes).fill(0xff, 1000, bytes.length - 500)
  return [
    { name: 'b-1.jpg', bytes: half(whole.jpeg) },
    { name: 'b-2.png', bytes: half(whole.png) },
    { name: 'b-3.webp', bytes: damaged(whole.webp) },
    { name: 'b-4.gif', bytes: damaged(whole.gif) },
    { name: 'b-5.avif', bytes: half(whole.avif) },
    { name: 'b-6.bmp', bytes: createBitmap(60, 60).subarray(0, 5000) },
    { name: 'b-7.png', bytes: damaged(whole.png) },
    { name: 'b-8.png', bytes: pngOf(ihdr(width, height), idat(createNoise(9)), iend) },
  ]
}

/** Builds images that could exhaust memory or time, and are still valid. */
export function oddImages(): OddFile[] {
  const one = (what: string, name: string, bytes: () => Uint8Array): OddFile => ({
    ...{ what, name, bytes },
    frames: [name],
  })
  const [side, pixels] = [64, () => idat(greyRows(64, 64))]
  const head = ihdr(side, side, true)
  return [
    one('a PNG with a hundred megabytes after its pixels', 'a.png', () =>
      pngOf(head, idat(Buffer.concat([greyRows(side, side), zeros(100)])), iend),
    ),
    one('a GIF of no pixels', 'b.gif', () => gifOf(0, 0)),
    one('a TIFF whose last page is its first', 'c.tif', () =>
      tiffOf({ width: side, height: side, next: () => ({ offset: 8 }) }),
    ),
    one('a TIFF without pixel data, read as black', 'g.tif', () =>
      tiffOf({ width: side, height: side, packing: 8 }),
    ),
    one('a TIFF of a million pages', 'd.tif', () =>
      tiffOf({
        ...{ width: side, height: side },
        next: (at) => ({ offset: at, bytes: writeTiffPages(at, 1_000_000) }),
      }),
    ),
    one('a PNG with a compressed text of a hundred megabytes', 'e.png', () =>
      pngOf(head, packedChunk('zTXt', zeros(100)), pixels(), iend),
    ),
    one('a PNG with a compressed profile of a hundred megabytes', 'f.png', () =>
      pngOf(head, packedChunk('iCCP', zeros(100)), pixels(), iend),
    ),
  ]
}
