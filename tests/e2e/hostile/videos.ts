import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clip, writeClip } from '@reticle/kit/testing/video/clips'
import { createNoise, type HostileFile, noMedia, type OddFile } from './hostile.ts'

/** Hostile videos. Files that crash or hang a decoder have separate tests. */

const unreadable = (name: string) =>
  `${name}: no video can be read from it: it is damaged, cut off or of another kind`

/** Writes a clip, by default of ten frames. */
export function createClip(name: string, given: Partial<Clip> = {}): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'reticle-clip-'))
  try {
    writeClip(join(folder, name), { frames: 10, ...given })
    return readFileSync(join(folder, name))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * Builds videos that must be refused.
 * @param elsewhere an address that must not be requested
 */
export function hostileVideos(elsewhere: () => string): HostileFile[] {
  const one = (
    what: string,
    name: string,
    bytes: () => Uint8Array,
    message: HostileFile['message'] = unreadable(name),
  ): HostileFile => ({ what, name, bytes, message })
  const text = (...lines: string[]) => Buffer.from(lines.join('\n'))
  return [
    one('a truncated MP4 without its table', 'cut.mp4', () =>
      createClip('a.mp4').subarray(0, 4000),
    ),
    one('an MP4 signature followed by noise', 'noise.mp4', () =>
      Buffer.concat([
        Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isommp42', 'latin1'),
        createNoise(50_000),
      ]),
    ),
    one('only an MP4 signature', 'mark.mp4', () =>
      Buffer.from('\0\0\0\x18ftypisom\0\0\x02\0isommp42', 'latin1'),
    ),
    one('a Matroska signature followed by noise', 'noise.mkv', () =>
      Buffer.concat([Buffer.from('\x1aE\xdf\xa3', 'latin1'), createNoise(50_000)]),
    ),
    one(
      'an AVI signature followed by noise',
      'noise.avi',
      () =>
        Buffer.concat([Buffer.from('RIFF\xff\xff\xff\x7fAVI LIST', 'latin1'), createNoise(50_000)]),
      /^noise.avi: (no video can be read from it|the file has no video in it)/,
    ),
    one('an AVI without frames', 'none.avi', () =>
      createClip('a.avi', { codec: 'mjpeg', frames: 0 }),
    ),
    one('a table of four billion frames', 'many.mp4', () => manyFrames(createClip('a.mp4'))),
    one('frames in another file', 'other.mp4', () =>
      referring(createClip('a.mp4'), aliasOf('/etc/hostname')),
    ),
    one(
      'a file with only sound',
      'sound.mp4',
      () => createClip('a.mp4', { frames: 0, hasSound: true }),
      'sound.mp4: the file has no video in it',
    ),
    one(
      'frames of 16384 x 16384 pixels',
      'large.avi',
      () => claiming(createClip('a.avi', { codec: 'mjpeg' }), 16_384, 16_384),
      /^large.avi: (16384 x 16384 pixels are too many|no video can be read from it)/,
    ),
    one(
      'a playlist of segments on a server',
      'play.mp4',
      () => text('#EXTM3U', '#EXT-X-TARGETDURATION:2', '#EXTINF:2,', `${elsewhere()}/a.ts`),
      /^play\.mp4: playlists are not read\. Videos are read as MP4, MOV, /,
    ),
    one(
      'a list of files',
      'list.avi',
      () => text('ffconcat version 1.0', 'file /etc/hostname', `file ${elsewhere()}/a.mp4`),
      noMedia,
    ),
    one('an empty file', 'empty.mp4', () => Buffer.alloc(0), noMedia),
  ]
}

/**
 * Builds videos with false metadata that must still be read.
 *
 * @param elsewhere an address that must not be requested
 */
export function oddVideos(elsewhere: () => string): (OddFile & { size: number })[] {
  return [
    {
      ...{ what: 'a reference to frames on a server', name: 'other.mp4', size: 10 },
      bytes: () => referring(createClip('a.mp4'), addressed(`${elsewhere()}/a.mp4`)),
      frames: ['other.mp4'],
    },
    {
      ...{ what: 'a reference to frames in another file', name: 'else.mp4', size: 10 },
      bytes: () => referring(createClip('a.mp4'), addressed('file:///etc/hostname')),
      frames: ['else.mp4'],
    },
    {
      ...{ what: 'a Matroska with a wrong length', name: 'long.mkv', size: 10 },
      bytes: () => lasting(createClip('a.mkv'), 1e12),
      frames: ['long.mkv'],
    },
  ]
}

/** Raises the sample count in the size table of the first track. */
function manyFrames(mp4: Buffer): Buffer {
  const changed = Buffer.from(mp4)
  changed.writeUInt32BE(0xffffffff, changed.indexOf('stsz') + 12)
  return changed
}

const track = ['moov', 'trak', 'mdia', 'minf', 'dinf', 'dref']

interface Reference {
  type: 'url ' | 'alis'
  content: Buffer
}

const addressed = (address: string): Reference => ({
  ...{ type: 'url ' },
  content: Buffer.from(`${address}\0`, 'latin1'),
})

/** Builds a classic Mac OS alias: a record of fixed length, mostly empty, followed by the full path. */
function aliasOf(path: string): Reference {
  const parts = [Buffer.alloc(150), Buffer.of(0, 2, 0, path.length), Buffer.from(path, 'latin1')]
  const odd = path.length % 2 === 1 ? [Buffer.of(0)] : []
  return { type: 'alis', content: Buffer.concat([...parts, ...odd, Buffer.of(0xff, 0xff, 0, 0)]) }
}

/** Makes the samples refer to another file. The index follows the samples, so that no offset changes. */
function referring(mp4: Buffer, { type, content }: Reference): Buffer {
  const ends = track.map((name) => mp4.indexOf(name))
  const dref = (ends.at(-1) ?? 0) - 4
  const size = mp4.readUInt32BE(dref)
  const head = mp4.subarray(dref, dref + 16) // with the number of entries, which is one
  const reference = Buffer.concat([Buffer.alloc(4), Buffer.from(type), Buffer.alloc(4), content])
  reference.writeUInt32BE(reference.length)
  const change = head.length + reference.length - size
  const changed = Buffer.concat([mp4.subarray(0, dref), head, reference, mp4.subarray(dref + size)])
  for (const at of ends) changed.writeUInt32BE(mp4.readUInt32BE(at - 4) + change, at - 4)
  return changed
}

/** Changes the sides in the header of the file and in that of each of its JPEGs. */
function claiming(avi: Buffer, width: number, height: number): Buffer {
  const changed = Buffer.from(avi)
  const head = changed.indexOf('strf') + 8
  changed.writeUInt32LE(width, head + 4)
  changed.writeUInt32LE(height, head + 8)
  const frame = Buffer.of(0xff, 0xc0)
  for (let at = changed.indexOf(frame); at >= 0; at = changed.indexOf(frame, at + 2)) {
    changed.writeUInt16BE(height, at + 5)
    changed.writeUInt16BE(width, at + 7)
  }
  return changed
}

/** Changes the duration element, which is eight bytes long. */
function lasting(mkv: Buffer, duration: number): Buffer {
  const changed = Buffer.from(mkv)
  changed.writeDoubleBE(duration, changed.indexOf(Buffer.of(0x44, 0x89, 0x88)) + 3)
  return changed
}
