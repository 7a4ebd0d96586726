import { createWriteStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ZipEntry, ZipReader } from '@reticle/formats/archive/zip-reader'
import { headBytes, type ImageSize, imageSize } from '@reticle/formats/image/size'
import type { EmbeddedImage, FileSubset, ItemFrame } from '@reticle/formats/model/dataset'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'

interface Deps {
  zip: ZipReader
  /** Sizes of missing images, by the archive member that they would be. */
  missing: ReadonlyMap<string, ImageSize>
  /** Separate folder for this subset. */
  dir: string
  report: ReportWriter
  signal: AbortSignal
  /** Called with the number of images read so far and their total. */
  progress(done: number, total: number): void
}

/** Returns the images of a subset as frames, in order. Files that are not images are skipped and reported. */
export async function framesOf(subset: FileSubset, deps: Deps): Promise<ItemFrame[]> {
  const pictures = subset.embedded
    ? await spoolPictures(subset.embedded(), deps)
    : listPictures(subset, deps)
  const frames: ItemFrame[] = []
  for (const [index, { name, size, head, read }] of pictures.entries()) {
    deps.signal.throwIfAborted()
    const known = size ?? (await measureImage(head, read))
    if (known)
      frames.push({ frame: frames.length, path: name, ...known, ...(read && { image: read }) })
    else
      deps.report.note('skipped', 'ignored-file', 'it is no image that can be read', { file: name })
    deps.progress(index + 1, pictures.length)
  }
  return frames
}

interface Picture {
  name: string
  /** Size, if it is known without reading the image. */
  size?: ImageSize | undefined
  head(): Promise<Uint8Array>
  read: (() => AsyncIterable<Uint8Array>) | undefined
}

function listPictures({ images }: FileSubset, { zip, missing }: Deps): Picture[] {
  return images.map(({ name, member }) => {
    const [entry, size] = [zip.files.get(member), missing.get(member)]
    if (size || !entry) return { name, size, head: async () => nothing, read: undefined }
    return { name, head: () => headOf(zip, entry), read: () => zip.stream(entry) }
  })
}

const nothing = new Uint8Array()

async function measureImage(
  head: Picture['head'],
  read: Picture['read'],
): Promise<ImageSize | undefined> {
  const size = await imageSize(await head()).catch(() => undefined)
  if (size || !read) return size
  return imageSize(await readFirst(read(), Number.POSITIVE_INFINITY)).catch(() => undefined)
}

async function headOf(zip: ZipReader, entry: ZipEntry): Promise<Uint8Array> {
  if (entry.isDeflated) return readFirst(zip.stream(entry), headBytes)
  const start = await zip.dataStart(entry)
  return zip.source.read(start, start + Math.min(entry.packedSize, headBytes))
}

/** Returns the first bytes and reads no more than necessary. */
async function readFirst(pieces: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
  const kept: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    kept.push(piece)
    size += piece.length
    if (size >= length) break
  }
  return Buffer.concat(kept)
}

/** Stores embedded images in one file, because they can be read only once. */
async function spoolPictures(
  images: AsyncIterable<EmbeddedImage>,
  { dir }: Deps,
): Promise<Picture[]> {
  const path = join(dir, 'pictures')
  const ranges: { name: string; start: number; end: number }[] = []
  async function* behindOneAnother() {
    let start = 0
    for await (const { name, content } of images) {
      ranges.push({ name, start, end: start + content.length })
      start += content.length
      yield content
    }
  }
  await pipeline(Readable.from(behindOneAnother()), createWriteStream(path))
  return ranges.map(({ name, start, end }) => {
    const read = () => partOf(path, start, end)
    return { name, head: () => readFirst(read(), headBytes), read }
  })
}

const pieceBytes = 262_144

async function* partOf(path: string, start: number, end: number): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    for (let at = start; at < end; at += pieceBytes) {
      const length = Math.min(pieceBytes, end - at)
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, at)
      yield buffer
    }
  } finally {
    await file.close()
  }
}
