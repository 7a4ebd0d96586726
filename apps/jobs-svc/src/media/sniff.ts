import { isTarHeader } from '@reticle/formats/archive/tar-reader'
import { isBitmap } from '@reticle/formats/image/bmp'
import { isCameraRaw } from './kinds/camera-raw.ts'
import { containerOf, latin1Of } from './kinds/containers.ts'
import { type ForeignKind, type ForeignName, foreignKind } from './kinds/foreign.ts'
import { foreignOf } from './kinds/foreign-marks.ts'
import type { Packer } from './kinds/unpacker.ts'

/** Kind of a file, by its first bytes and never by its name. */
export type FileKind =
  | { is: 'image'; media_type: string }
  | { is: 'zip' }
  | { is: 'tar' }
  /** Compression around an archive, as unpacking shows. */
  | { is: 'packed'; by: Packer }
  | { is: 'video' }
  | { is: 'pdf' }
  /** Recognised, but not supported. */
  | { is: 'foreign'; foreign: ForeignKind }
  | { is: 'unknown' }

/** Bytes of the start of a file that `sniffFile` reads. */
export const sniffedBytes = 512

interface Signature {
  at: number
  bytes: string
  /** Further bytes at the start, if the mark alone could be part of a text: a drawing would count as a picture. */
  begins?: string
  kind: FileKind
}

const image = (media_type: string): FileKind => ({ is: 'image', media_type })
const foreign = (name: ForeignName): FileKind => ({ is: 'foreign', foreign: foreignKind(name) })

const images: readonly Signature[] = [
  { at: 0, bytes: '\xff\xd8\xff', kind: image('image/jpeg') },
  { at: 0, bytes: '\x89PNG\r\n\x1a\n', kind: image('image/png') },
  { at: 0, bytes: 'GIF87a', kind: image('image/gif') },
  { at: 0, bytes: 'GIF89a', kind: image('image/gif') },
  { at: 0, bytes: 'II*\0', kind: image('image/tiff') },
  { at: 0, bytes: 'MM\0*', kind: image('image/tiff') },
  { at: 0, bytes: 'II+\0\x08\0', kind: image('image/tiff') },
  { at: 0, bytes: 'MM\0+\0\x08', kind: image('image/tiff') },
  { at: 8, bytes: 'WEBP', begins: 'RIFF', kind: image('image/webp') },
  { at: 4, bytes: 'ftypavif', begins: '\0', kind: image('image/avif') },
  { at: 4, bytes: 'ftypavis', begins: '\0', kind: image('image/avif') },
]

/** Tested after the unsupported kinds, because some of those start with the same bytes. */
const containersOfMore: readonly Signature[] = [
  { at: 4, bytes: 'ftypmif1', begins: '\0', kind: image('image/avif') },
  { at: 0, bytes: 'PK\x03\x04', kind: { is: 'zip' } },
  { at: 0, bytes: 'PK\x05\x06', kind: { is: 'zip' } },
  { at: 0, bytes: '%PDF-', kind: { is: 'pdf' } },
  { at: 0, bytes: '\x1f\x8b', kind: { is: 'packed', by: 'gzip' } },
  { at: 0, bytes: '\x28\xb5\x2f\xfd', kind: { is: 'packed', by: 'zstd' } },
]

/** Kinds that need more than a mark: the mark of bitmaps also starts texts, and early tar files have no mark. */
const recognized: readonly { is: (head: Uint8Array) => boolean; kind: FileKind }[] = [
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

/** Lists the media that this installation reads: families of files, and the types of its images. */
export function listReadableMedia(): { media: string[]; image_types: string[] } {
  const kinds = [...images, ...containersOfMore, ...recognized].map(({ kind }) => kind)
  const types = kinds.flatMap((kind) => (kind.is === 'image' ? [kind.media_type] : []))
  const media = new Set(kinds.flatMap(({ is }) => families.get(is) ?? []))
  const image_types = new Set(types.map((type) => type.replace('image/', '')))
  return { media: [...media], image_types: [...image_types] }
}

/** Detects the kind of a file by its first `sniffedBytes` (fewer if it is shorter). */
export function sniffFile(begin: Uint8Array): FileKind {
  const head = begin.subarray(0, sniffedBytes)
  const text = latin1Of(head)
  const picture = withMark(images, text)
  if (picture) return isTiff(picture) && isCameraRaw(head) ? foreign('raw') : picture
  const known = recognized.find(({ is }) => is(head))
  if (known) return known.kind
  if (isDrawing(text)) return foreign('svg')
  const other = foreignOf(head)
  if (other) return foreign(other)
  const more = withMark(containersOfMore, text)
  if (more) return more
  return containerOf(head) ? { is: 'video' } : { is: 'unknown' }
}

function withMark(signatures: readonly Signature[], text: string): FileKind | undefined {
  const found = signatures.find(
    ({ at, bytes, begins = '' }) => text.startsWith(bytes, at) && text.startsWith(begins),
  )
  return found?.kind
}

const isTiff = (kind: FileKind) => kind.is === 'image' && kind.media_type === 'image/tiff'

const byteOrderMark = '\xef\xbb\xbf'

/** Returns whether a text is an SVG document: its root follows an XML declaration and any number of comments. */
function isDrawing(text: string): boolean {
  let at = afterBlanks(text, text.startsWith(byteOrderMark) ? byteOrderMark.length : 0)
  if (text.startsWith('<?xml', at)) at = afterBlanks(text, after(text, '>', at))
  while (text.startsWith('<!--', at)) at = afterBlanks(text, after(text, '-->', at + 4))
  if (text.startsWith('<!DOCTYPE svg', at)) return true
  return text.startsWith('<svg', at) && /[\s>]/.test(text.charAt(at + 4))
}

/** Returns the position after a mark; the end of the text if it is missing. */
function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at + mark.length
}

function afterBlanks(text: string, from: number): number {
  let at = from
  while (/\s/.test(text.charAt(at))) at += 1
  return at
}
