import { decodeFrames } from '@reticle/contracts/frame-lines'
import type { FrameSource, StoredImage } from '@reticle/contracts/rest/media'
import type { ArchiveFile } from '@reticle/formats/archive/zip-writer'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { readSource, sourceKey } from '../media/frames/source.ts'
import type { Staged } from '../operations/staging.ts'
import { openPart } from '../storage/stored-file.ts'
import { readIndex } from '../video/cache/stored-index.ts'
import type { VideoIndex } from '../video/decoder.ts'

type Blobs = Pick<BlobStore, 'get'>

/** Staged frames of a task, and the extent of their backup. */
export interface BackupMedia {
  frames: Staged
  isVideo: boolean
  /** Only the list of frames is written; their files stay in place. */
  isListOnly: boolean
  signal: AbortSignal
  /** Called for each written frame. */
  onFrame: () => void
}

const folder = 'data/'

/** Writes `data/manifest.jsonl`, the list of the frames. */
export async function manifestFile(blobs: Blobs, media: BackupMedia): Promise<ArchiveFile> {
  const path = `${folder}manifest.jsonl`
  if (!media.isVideo) return { path, content: imageManifest(media) }
  const { video, index } = await indexOf(blobs, media)
  return { path, content: videoManifest(video.name, index) }
}

/** Yields the files of the frames below `data/`, as uploaded. */
export async function* mediaFiles(blobs: Blobs, media: BackupMedia): AsyncGenerator<ArchiveFile> {
  if (media.isVideo) yield* videoFiles(blobs, media)
  else if (!media.isListOnly) yield* imageFiles(blobs, media)
}

async function* imageFiles(
  blobs: Blobs,
  { frames, signal, onFrame }: BackupMedia,
): AsyncGenerator<ArchiveFile> {
  const written = new Set<string>()
  const fileOf = (image: StoredImage) => ({
    path: `${folder}${image.name}`,
    content: readSource(blobs, image),
    source: sourceKey(image),
  })
  for await (const batch of decodeFrames(frames.read())) {
    for (const { related, ...frame } of batch) {
      signal.throwIfAborted()
      yield fileOf(frame)
      for (const image of related?.files ?? []) {
        if (written.has(image.name)) continue // several frames may share a context image
        written.add(image.name)
        yield fileOf(image)
      }
      onFrame()
    }
  }
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`
const head = (type: 'images' | 'video') => line({ version: '1.1' }) + line({ type })

type Listed = Pick<BackupMedia, 'frames' | 'isListOnly'>

async function* imageManifest({ frames, isListOnly }: Listed): AsyncGenerator<string> {
  yield head('images')
  for await (const batch of decodeFrames(frames.read()))
    yield batch.map((frame) => frameLine(frame, isListOnly)).join('')
}

/**
 * Formats a line of the manifest.
 *
 * @param isListOnly also states the sizes of files, which are not in the archive
 */
function frameLine(
  { name: file, width, height, length: size, related }: FrameSource,
  isListOnly: boolean,
): string {
  const [, name = file, extension = ''] = /^(.*[^/])(\.[^./]+)$/s.exec(file) ?? []
  const meta = related && {
    related_images: related.files.map((one) => one.name),
    ...(isListOnly && { related_sizes: related.files.map((one) => one.length) }),
  }
  return line({
    name,
    extension,
    width,
    height,
    ...(isListOnly && { size }),
    ...(meta && { meta }),
  })
}

/** Yields the one video file that contains all frames; the description of the task states the selected frames. */
async function* videoFiles(blobs: Blobs, media: BackupMedia): AsyncGenerator<ArchiveFile> {
  const { key, size, name } = (await indexOf(blobs, media)).video
  yield { path: `${folder}${name}`, content: readWhole(blobs, key, size), source: key }
  media.onFrame()
}

async function indexOf(blobs: Blobs, { frames }: Pick<BackupMedia, 'frames'>) {
  const { key } = await firstFrame(frames)
  return readIndex(blobs, key)
}

/** Reads a whole object, opened at the first read. */
async function* readWhole(blobs: Blobs, key: string, size: number): AsyncGenerator<Uint8Array> {
  yield* await openPart(blobs, key, { start: 0, end: size })
}

async function firstFrame(frames: Staged): Promise<FrameSource> {
  for await (const [first] of decodeFrames(frames.read())) if (first) return first
  throw new Error('a task with media must have a frame')
}

/** Writes the manifest of a video, without the checksums that CVAT writes: those depend on the decoder. */
function videoManifest(name: string, { width, height, pts, keys }: VideoIndex): string {
  const properties = { name, resolution: [width, height], length: pts.length }
  const places = new Map([...pts].map((time, number) => [time, number]))
  const marks = [...keys].flatMap((time) => {
    const number = places.get(time)
    return number === undefined ? [] : [line({ number, pts: time })]
  })
  return head('video') + line({ properties }) + marks.join('')
}
