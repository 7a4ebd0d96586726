import { isTarHeader } from '@reticle/formats/archive/tar-reader'
import { isBitmap } from '@reticle/formats/image/bmp'
import { canUnpack, type Packer } from './unpacker.ts'

/** What a file is, told by its first bytes and never by its name (`reliability.md` 9). */
export type Kind =
  | { is: 'image'; media_type: string }
  | { is: 'zip' }
  | { is: 'tar' }
  /** Around an archive, as it turns out. */
  | { is: 'packed'; by: Packer }
  | { is: 'video' }
  | { is: 'pdf' }
  /** Known, but not readable by this installation. */
  | { is: 'unsupported'; media_type: string }
  | { is: 'unknown' }

/** Bytes of the start of a file that `sniff` looks at. */
export const sniffedBytes = 512

interface Signature {
  at: number
  bytes: string
  /** What it begins with besides, where the mark alone could stand in a text: a drawing would pass for a picture. */
  begins?: string
  kind: Kind
}

const image = (media_type: string): Kind => ({ is: 'image', media_type })
const unsupported = (media_type: string): Kind => ({ is: 'unsupported', media_type })

const signatures: readonly Signature[] = [
  { at: 0, bytes: '\xff\xd8\xff', kind: image('image/jpeg') },
  { at: 0, bytes: '\x89PNG\r\n\x1a\n', kind: image('image/png') },
  { at: 0, bytes: 'GIF87a', kind: image('image/gif') },
  { at: 0, bytes: 'GIF89a', kind: image('image/gif') },
  { at: 0, bytes: 'II*\0', kind: image('image/tiff') },
  { at: 0, bytes: 'MM\0*', kind: image('image/tiff') },
  { at: 8, bytes: 'WEBP', begins: 'RIFF', kind: image('image/webp') },
  { at: 4, bytes: 'ftypavif', begins: '\0', kind: image('image/avif') },
  { at: 4, bytes: 'ftypavis', begins: '\0', kind: image('image/avif') },
  { at: 4, bytes: 'ftypmif1', begins: '\0', kind: image('image/avif') },
  { at: 4, bytes: 'ftyphei', begins: '\0', kind: unsupported('image/heic') },
  { at: 0, bytes: 'PK\x03\x04', kind: { is: 'zip' } },
  { at: 0, bytes: 'PK\x05\x06', kind: { is: 'zip' } },
  { at: 0, bytes: '%PDF-', kind: { is: 'pdf' } },
  { at: 4, bytes: 'ftyp', begins: '\0', kind: { is: 'video' } },
  { at: 4, bytes: 'moov', kind: { is: 'video' } },
  { at: 4, bytes: 'mdat', kind: { is: 'video' } },
  { at: 4, bytes: 'wide', kind: { is: 'video' } },
  { at: 8, bytes: 'AVI ', begins: 'RIFF', kind: { is: 'video' } },
  { at: 0, bytes: '\x1aE\xdf\xa3', kind: { is: 'video' } },
  { at: 0, bytes: 'FLV', kind: unsupported('video') },
  { at: 0, bytes: '\0\0\x01\xba', kind: unsupported('video') },
  { at: 0, bytes: '7z\xbc\xaf', kind: unsupported('archive') },
  { at: 0, bytes: 'Rar!', kind: unsupported('archive') },
  { at: 0, bytes: '\x1f\x8b', kind: { is: 'packed', by: 'gzip' } },
  {
    at: 0,
    bytes: '\x28\xb5\x2f\xfd',
    kind: canUnpack('zstd') ? { is: 'packed', by: 'zstd' } : unsupported('archive'),
  },
]

/** Known by more than their first bytes: two letters begin many texts, and tar had no mark of its own at first. */
const recognized: readonly { is: (head: Uint8Array) => boolean; kind: Kind }[] = [
  { is: isBitmap, kind: image('image/bmp') },
  { is: isTarHeader, kind: { is: 'tar' } },
]

const families = new Map([
  ['image', 'image'],
  ['zip', 'zip'],
  ['tar', 'archive'],
  ['packed', 'archive'],
  ['pdf', 'pdf'],
])

/** What media this installation reads: families of files, and the types of its images. */
export function readable(): { media: string[]; image_types: string[] } {
  const kinds = [...signatures, ...recognized].map(({ kind }) => kind)
  const images = kinds.flatMap((kind) => (kind.is === 'image' ? [kind.media_type] : []))
  const media = new Set(kinds.flatMap(({ is }) => families.get(is) ?? []))
  const image_types = new Set(images.map((type) => type.replace('image/', '')))
  return { media: [...media], image_types: [...image_types] }
}

/** Reads the first `sniffedBytes` of a file (fewer when it is shorter). */
export function sniff(head: Uint8Array): Kind {
  const length = Math.min(head.byteLength, sniffedBytes)
  const text = Buffer.from(head.buffer, head.byteOffset, length).toString('latin1')
  const found =
    signatures.find(
      ({ at, bytes, begins = '' }) => text.startsWith(bytes, at) && text.startsWith(begins),
    ) ?? recognized.find(({ is }) => is(head))
  if (found) return found.kind
  return isDrawing(text) ? unsupported('image/svg+xml') : { is: 'unknown' }
}

const byteOrderMark = '\xef\xbb\xbf'

/** An SVG document: its root follows an XML declaration and any number of comments. */
function isDrawing(text: string): boolean {
  let at = afterBlanks(text, text.startsWith(byteOrderMark) ? byteOrderMark.length : 0)
  if (text.startsWith('<?xml', at)) at = afterBlanks(text, after(text, '>', at))
  while (text.startsWith('<!--', at)) at = afterBlanks(text, after(text, '-->', at + 4))
  if (text.startsWith('<!DOCTYPE svg', at)) return true
  return text.startsWith('<svg', at) && /[\s>]/.test(text.charAt(at + 4))
}

/** The end of the text where the mark is missing. */
function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at + mark.length
}

function afterBlanks(text: string, from: number): number {
  let at = from
  while (/\s/.test(text.charAt(at))) at += 1
  return at
}
