import { latin1Of } from './containers.ts'
import { explainForeign, type ForeignName, foreignKind } from './foreign.ts'
import { canUnpack } from './unpacker.ts'

interface Mark {
  at: number
  bytes: string
  name: ForeignName
  /** Further bytes at the start, if the mark alone could be part of a text. */
  begins?: string
}

const mark = (name: ForeignName, bytes: string, at = 0, begins?: string): Mark => ({
  at,
  bytes,
  name,
  ...(begins !== undefined && { begins }),
})

/** Brands of a base media file (ISO/IEC 14496-12) for unsupported pictures and sound. */
const brands: Record<string, ForeignName> = {
  heic: 'heic',
  heix: 'heic',
  heim: 'heic',
  heis: 'heic',
  hevc: 'heic',
  hevx: 'heic',
  hevm: 'heic',
  hevs: 'heic',
  msf1: 'heic',
  'jp2 ': 'jp2',
  'jpx ': 'jp2',
  'jpm ': 'jp2',
  'jxl ': 'jxl',
  'crx ': 'raw',
  'M4A ': 'm4a',
  'M4B ': 'm4a',
  'F4A ': 'm4a',
}

const pictures: readonly Mark[] = [
  mark('jxl', '\xff\x0a'),
  mark('jxl', '\0\0\0\x0cJXL \r\n\x87\n'),
  mark('jp2', '\0\0\0\x0cjP  \r\n\x87\n'),
  mark('jp2', '\xff\x4f\xff\x51'),
  mark('jxr', 'II\xbc\x01'),
  mark('raw', 'IIRO\x08\0'),
  mark('raw', 'IIRS\x08\0'),
  mark('raw', 'MMOR\0\0'),
  mark('raw', 'IIU\0'),
  mark('raw', 'FUJIFILMCCD-RAW'),
  mark('raw', 'FOVb'),
  mark('raw', '\0MRM'),
  mark('raw', 'HEAPCCDR', 6),
  mark('psd', '8BPS\0'),
  mark('xcf', 'gimp xcf'),
  mark('exr', 'v/1\x01'),
  mark('hdr', '#?RADIANCE'),
  mark('hdr', '#?RGBE'),
  mark('dds', 'DDS \x7c\0\0\0'),
  mark('sgi', '\x01\xda\0'),
  mark('sgi', '\x01\xda\x01'),
  mark('qoi', 'qoif'),
  mark('bpg', 'BPG\xfb'),
  mark('mng', '\x8aMNG\r\n\x1a\n'),
  mark('mng', '\x8bJNG\r\n\x1a\n'),
  mark('metafile', '\xd7\xcd\xc6\x9a'),
  mark('metafile', ' EMF', 40, '\x01\0\0\0'),
  mark('dicom', 'DICM', 128),
  mark('nifti', 'n+1\0', 344),
  mark('nifti', 'ni1\0', 344),
  mark('fits', 'SIMPLE  ='),
  mark('microscope', 'ZISRAWFILE'),
  mark('microscope', '\xda\xce\xbe\x0a'),
  mark('thermal', 'FFF\0'),
]

const videos: readonly Mark[] = [
  mark('real', '.RMF\0'),
  mark('mxf', '\x06\x0e\x2b\x34\x02\x05\x01\x01\x0d\x01\x02'),
  mark('rawVideo', '\0\0\x01\xb3'),
  mark('rawVideo', '\0\0\x01\xb0'),
  mark('rawVideo', '\0\0\x01\x67'),
  mark('rawVideo', '\0\0\0\x01\x67'),
  mark('rawVideo', '\0\0\0\x01\x27'),
  mark('rawVideo', '\0\0\0\x01\x09'),
  mark('rawVideo', '\0\0\0\x01\x40\x01'),
  mark('rawVideo', '\0\0\0\x01\x46\x01'),
  mark('rawVideo', 'DKIF\0\0'),
  mark('y4m', 'YUV4MPEG2 '),
  mark('dv', '\x1f\x07\0'),
  mark('recorder', 'DHAV'),
  mark('recorder', 'IMKH'),
  mark('recorder', 'HKMI'),
  mark('gameVideo', 'BIKi'),
  mark('gameVideo', '\x11\xaf', 4),
  mark('gameVideo', '\x12\xaf', 4),
  mark('gameVideo', 'AMV ', 8, 'RIFF'),
  mark('gameVideo', 'nut/multimedia container\0'),
  mark('wtv', '\xb7\xd8\x00\x20\x37\x49\xda\x11'),
  mark('cinema', 'RED1', 4, '\0'),
  mark('cinema', 'RED2', 4, '\0'),
  mark('playlist', '#EXTM3U'),
]

const packed: readonly Mark[] = [
  mark('sevenZip', '7z\xbc\xaf'),
  mark('rar', 'Rar!\x1a\x07'),
  mark('xz', '\xfd7zXZ\0'),
  mark('bzip2', '1AY&SY', 4, 'BZh'),
  mark('lz4', '\x04\x22\x4d\x18'),
  mark('lzip', 'LZIP\x01'),
  mark('lzip', '\x1f\x9d'),
  ...(canUnpack('zstd') ? [] : [mark('zstd', '\x28\xb5\x2f\xfd')]),
  mark('cab', 'MSCF\0'),
  mark('unixArchive', '!<arch>\n'),
  mark('splitZip', 'PK\x07\x08'),
]

const sounds: readonly Mark[] = [
  mark('mp3', 'ID3\x02'),
  mark('mp3', 'ID3\x03'),
  mark('mp3', 'ID3\x04'),
  mark('mp3', '\xff\xfb'),
  mark('mp3', '\xff\xfa'),
  mark('mp3', '\xff\xf3'),
  mark('mp3', '\xff\xf2'),
  mark('aac', '\xff\xf1'),
  mark('aac', '\xff\xf9'),
  mark('wav', 'WAVE', 8, 'RIFF'),
  mark('wav', 'WAVE', 8, 'RF64'),
  mark('flac', 'fLaC'),
  mark('amr', '#!AMR'),
  mark('midi', 'MThd\0'),
  mark('aiff', 'AIFF', 8, 'FORM'),
  mark('aiff', 'AIFC', 8, 'FORM'),
  mark('au', '.snd\0'),
]

const others: readonly Mark[] = [
  mark('office', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'),
  mark('office', '[Content_Types].xml', 30, 'PK\x03\x04'),
  mark('openDocument', 'mimetypeapplication/', 30, 'PK\x03\x04'),
  mark('rtf', '{\\rtf'),
  mark('postScript', '%!PS'),
  mark('postScript', '\xc5\xd0\xd3\xc6'),
  mark('djvu', 'AT&TFORM'),
  mark('ply', 'ply\n'),
  mark('ply', 'ply\r'),
  mark('pcd', '# .PCD'),
  mark('las', 'LASF'),
  mark('e57', 'ASTM-E57'),
  mark('gltf', 'glTF\x01\0\0\0'),
  mark('gltf', 'glTF\x02\0\0\0'),
  mark('fbx', 'Kaydara FBX Binary'),
  mark('blend', 'BLENDER'),
  mark('usd', '#usda '),
  mark('usd', 'PXR-USDC'),
  mark('hdf5', '\x89HDF\r\n\x1a\n'),
  mark('numpy', '\x93NUMPY'),
  mark('sqlite', 'SQLite format 3\0'),
  mark('parquet', 'PAR1'),
  mark('bag', '#ROSBAG V'),
  mark('bag', '\x89MCAP0'),
]

const marks: readonly Mark[] = [...pictures, ...videos, ...packed, ...sounds, ...others]

/** Returns the unsupported kind of a file by its first bytes, if any. */
export function foreignOf(head: Uint8Array): ForeignName | undefined {
  const text = latin1Of(head)
  const brand = brandOf(text)
  if (brand) return brand
  if (isOggSound(text)) return 'oggSound'
  const found = marks.find(
    ({ at, bytes, begins = '' }) => text.startsWith(bytes, at) && text.startsWith(begins),
  )
  return found?.name ?? foreignText(text) ?? foreignHeader(head)
}

function brandOf(text: string): ForeignName | undefined {
  if (!text.startsWith('ftyp', 4) || !text.startsWith('\0')) return undefined
  const brand = text.slice(8, 12)
  // Files of several brands name the codec of their picture among the compatible ones.
  if (brand === 'mif1') return isCompatibleWithHeic(text) ? 'heic' : undefined
  if (brand === 'msf1' && text.includes('avis')) return undefined
  return brands[brand]
}

function isCompatibleWithHeic(text: string): boolean {
  const end = Math.min(text.length, text.charCodeAt(2) * 256 + text.charCodeAt(3))
  for (let at = 16; at + 4 <= end; at += 4)
    if (brands[text.slice(at, at + 4)] === 'heic') return !text.slice(16, end).includes('avif')
  return false
}

/** Returns whether an Ogg file has sound only; its first pages name the codecs of all its streams. */
const isOggSound = (text: string): boolean =>
  text.startsWith('OggS\0') &&
  !text.includes('\x80theora') &&
  ['\x01vorbis', 'OpusHead', 'Speex   ', '\x7fFLAC', 'fLaC'].some((name) => text.includes(name))

/** Recognizes text formats by their first words. */
function foreignText(text: string): ForeignName | undefined {
  if (/^P[1-6fF]\s{1,9}(?:#|\d{1,9}\s{1,9}\d{1,9}\s)|^P7\s{1,9}(?:#|WIDTH )/.test(text))
    return 'pnm'
  if (/^07070[12][\da-fA-F]{104}/.test(text)) return 'unixArchive'
  if (text.startsWith('solid ') && text.includes('facet ')) return 'stl'
  if (text.startsWith('<?xml') && text.includes('<COLLADA')) return 'collada'
  const start = text.trimStart().slice(0, 15).toLowerCase()
  return start.startsWith('<!doctype html') || start.startsWith('<html') ? 'html' : undefined
}

/** Recognizes kinds without a mark, whose headers have few forms. */
function foreignHeader(head: Uint8Array): ForeignName | undefined {
  const [a, b, c, d, count = 0, countHigh] = head
  const isIcon = a === 0 && b === 0 && (c === 1 || c === 2) && d === 0 && head[9] === 0
  if (isIcon && count > 0 && countHigh === 0 && head.length >= 22) return 'icon'
  const isPcx = a === 0x0a && b !== undefined && b <= 5 && c === 1 && head[64] === 0
  return isPcx && [1, 2, 4, 8].includes(d ?? 0) ? 'pcx' : undefined
}

/**
 * Kinds by the ending of the name, for files whose bytes do not show it: a hint for messages, never a reason to read a
 * file.
 */
const endings: Record<string, ForeignName> = {
  tga: 'tga',
  heic: 'heic',
  heif: 'heic',
  nef: 'raw',
  cr2: 'raw',
  cr3: 'raw',
  arw: 'raw',
  dng: 'raw',
  psd: 'psd',
  dcm: 'dicom',
  pcx: 'pcx',
  h264: 'rawVideo',
  '264': 'rawVideo',
  h265: 'rawVideo',
  '265': 'rawVideo',
  dav: 'recorder',
  mts: 'cutStream',
  m2ts: 'cutStream',
  ts: 'cutStream',
  obj: 'obj',
  stl: 'stl',
  doc: 'office',
  docx: 'office',
  ppt: 'office',
  pptx: 'office',
  xls: 'office',
  xlsx: 'office',
  mp3: 'mp3',
  aac: 'aac',
}

function foreignByName(name: string): ForeignName | undefined {
  const dot = name.lastIndexOf('.')
  return dot < 0 ? undefined : endings[name.slice(dot + 1).toLowerCase()]
}

/**
 * Returns the reason why a file without a known mark is left out.
 *
 * @param what reason for a name without a known ending
 */
export function explainUnknown(name: string, what: string): string {
  const called = foreignByName(name)
  return called ? `${what}, but a known ending: ${explainForeign(foreignKind(called))}` : what
}
