import { decodeFrames } from '@reticle/contracts/frame-lines'
import type { FrameSource, StoredImage } from '@reticle/contracts/rest/media'
import type { ArchiveFile } from '@reticle/formats/archive/zip-writer'
import type { BlobStore } from '@reticle/kit/blob/blob'
import { readSource, sourceKey } from '../frames/source.ts'
import { openPart } from '../media/stored-part.ts'
import type { Staged } from '../operations/staging.ts'
import type { VideoIndex } from '../video/decoder.ts'
import { readIndex } from '../videos/kept-index.ts'

type Blobs = Pick<BlobStore, 'get'>

/** Frames of a task, as lines, and what of their files a backup takes along. */
export interface BackupMedia {
  frames: Staged
  isVideo: boolean
  /** The list of frames is all there is: their files stay where they are. */
  isListOnly: boolean
  signal: AbortSignal
  /** Told of each frame that is written. */
  onFrame: () => void
}

const folder = 'data/'

/** `data/manifest.jsonl`, the list of the frames. */
export async function manifestFile(blobs: Blobs, media: BackupMedia): Promise<ArchiveFile> {
  const path = `${folder}manifest.jsonl`
  if (!media.isVideo) return { path, content: imageManifest(media) }
  const { video, index } = await indexOf(blobs, media)
  return { path, content: videoManifest(video.name, index) }
}

/** `data/`: the files of the frames as they were uploaded. */
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
        if (written.has(image.name)) continue // several frames may have it beside them
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

/** @param isListOnly then it is said as well how large files are that are not there */
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

/** All frames are of one file; which of its frames they are is said in the description of the task. */
async function* videoFiles(blobs: Blobs, media: BackupMedia): AsyncGenerator<ArchiveFile> {
  const { key, size, name } = (await indexOf(blobs, media)).video
  yield { path: `${folder}${name}`, content: readWhole(blobs, key, size), source: key }
  media.onFrame()
}

async function indexOf(blobs: Blobs, { frames }: Pick<BackupMedia, 'frames'>) {
  const { key } = await firstFrame(frames)
  return readIndex(blobs, key)
}

/** Opened when it is first read. */
async function* readWhole(blobs: Blobs, key: string, size: number): AsyncGenerator<Uint8Array> {
  yield* await openPart(blobs, key, { start: 0, end: size })
}

async function firstFrame(frames: Staged): Promise<FrameSource> {
  for await (const [first] of decodeFrames(frames.read())) if (first) return first
  throw new Error('a task with media has a frame')
}

/** The checksums that others put into it are those of pictures as their decoder makes them. */
function videoManifest(name: string, { width, height, pts, keys }: VideoIndex): string {
  const properties = { name, resolution: [width, height], length: pts.length }
  const places = new Map([...pts].map((time, number) => [time, number]))
  const marks = [...keys].flatMap((time) => {
    const number = places.get(time)
    return number === undefined ? [] : [line({ number, pts: time })]
  })
  return head('video') + line({ properties }) + marks.join('')
}
