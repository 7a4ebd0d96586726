import { encodeFrame } from '@reticle/contracts/frame-lines'
import type { FrameSource, StoredImage } from '@reticle/contracts/rest/media'
import { headBytes, imageSize } from '@reticle/formats/image/size'
import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import { limitConcurrency } from '../../media/frames/limit-concurrency.ts'
import { largestImageBytes, largestPixels } from '../../media/image.ts'
import { explainForeign } from '../../media/kinds/foreign.ts'
import { explainUnknown } from '../../media/kinds/foreign-marks.ts'
import { isUnpackError } from '../../media/media-bytes.ts'
import { countPages, countPagesInHead } from '../../media/pages/count-pages.ts'
import { type FileKind, sniffedBytes, sniffFile } from '../../media/sniff.ts'
import type { VideoChapters } from '../../video/decoder.ts'
import { UnusableInput } from '../../work/errors.ts'
import { ignore } from '../../work/report.ts'
import { fileTitle, type SourceFile, type SourceListing } from '../sources/source-listing.ts'
import type { Related } from './related.ts'
import type { Selection } from './selection.ts'

export interface FrameDeps {
  listing: SourceListing
  related: Related
  selection: Selection
  /** Name of the list that assigns frame numbers and therefore may only name pictures. */
  listedBy?: string | undefined
  /** Reads a picture completely; without `size` a context image. */
  check?: (file: SourceFile, size?: { width: number; height: number }) => Promise<void>
  report: ReportWriter
  signal: AbortSignal
  /** Called with the share of files read, 0 to 1. */
  progress: (share: number) => void
}

/** Counts that are complete after the last line. */
export interface Counted {
  /** Pictures read, including those not selected; pictures after the last selected one are not counted. */
  seen: number
  /** Selected frames. */
  count: number
  /** Pictures of a video, selected or not. */
  total?: number
  /** Chapters of a video. */
  chapters?: VideoChapters
  /** Size of the first frame in pixels. */
  first?: { width: number; height: number }
}

/** Number of pictures that are read at the same time. */
const sideBySide = 8

/**
 * Formats the selected files as lines of the list of frames. Files that are not pictures are skipped and not counted.
 */
export async function* frameLines(
  files: readonly SourceFile[],
  deps: FrameDeps,
  counted: Counted,
): AsyncGenerator<string> {
  const { selection, signal } = deps
  const limitWhole = limitConcurrency(1)
  for (let at = 0; at < files.length && !selection.isOver(counted.seen); at += sideBySide) {
    signal.throwIfAborted()
    const batch = files.slice(at, at + sideBySide)
    const images = (await Promise.all(batch.map((one) => readImageHead(one, deps)))).filter(isSome)
    const chosen = images.filter(() => selection.has(counted.seen++))
    for (const frame of await Promise.all(chosen.map((one) => frameOf(one, limitWhole, deps)))) {
      counted.first ??= frame
      counted.count += 1
      yield encodeFrame(frame)
    }
    deps.progress(at / files.length)
  }
}

const isSome = <T>(value: T | undefined): value is T => value !== undefined

interface Image {
  file: SourceFile
  head: Uint8Array
  media_type: string
}

async function readImageHead(file: SourceFile, deps: FrameDeps): Promise<Image | undefined> {
  const { listing, selection, report } = deps
  if (file.known?.size) return { file, head: nothing, media_type: file.known.media_type }
  const head = await listing.head(file, selection.isAll ? headBytes : sniffedBytes)
  const kind = sniffFile(head)
  if (kind.is === 'image') return { file, head, media_type: kind.media_type }
  const what = whatElse(kind, file.name)
  const title = file.named ?? (deps.listedBy && `${deps.listedBy}: ${file.name}`)
  if (title !== undefined) throw new UnusableInput(`${title}: ${what}`)
  ignore(report, file.name, what)
  return undefined
}

const nothing = new Uint8Array()

function whatElse(kind: FileKind, name: string): string {
  if (kind.is === 'foreign') return explainForeign(kind.foreign)
  if (kind.is === 'unknown') return explainUnknown(name, 'no image')
  return `no image, but a ${kind.is}: send it by itself`
}

type Limiter = ReturnType<typeof limitConcurrency>

async function frameOf(
  { file, head, media_type }: Image,
  limitWhole: Limiter,
  deps: FrameDeps,
): Promise<FrameSource> {
  const { name, size } = file
  if (size > largestImageBytes)
    throw new UnusableInput(
      `${fileTitle(file)}: images may have ${largestImageBytes} bytes, this one has ${size}`,
    )
  const begin =
    file.known?.size || deps.selection.isAll ? head : await deps.listing.head(file, headBytes)
  const { width, height } =
    file.known?.size ?? (await sizeOf(file, begin, limitWhole, deps.listing))
  await deps.check?.(file, { width, height })
  if (width * height > largestPixels)
    throw new UnusableInput(
      `${fileTitle(file)}: ${width} x ${height} pixels are too many, at most ${largestPixels} are allowed`,
    )
  await reportPages({ file, head: begin, media_type }, limitWhole, deps)
  const files = await relatedImages(file, deps)
  const place = await deps.listing.place(file)
  return {
    name,
    width,
    height,
    ...place,
    media_type,
    ...(files.length > 0 && { related: { files } }),
  }
}

/** Reports pictures with several pages, of which only the first becomes a frame. */
async function reportPages(image: Image, limitWhole: Limiter, deps: FrameDeps): Promise<void> {
  const pages = await pagesOf(image, limitWhole, deps)
  if (pages === 1) return
  const item = pages === 2 ? 'page 2' : `pages 2 to ${pages}`
  const place = { file: image.file.name, item }
  deps.report.note('skipped', 'ignored-page', onlyFirstPage, place, pages - 1)
}

async function pagesOf(
  { file, head, media_type }: Image,
  limitWhole: Limiter,
  { listing }: FrameDeps,
): Promise<number> {
  const known = file.known?.size
    ? (file.known.pages ?? 1)
    : await countPagesInHead(head, file.size, media_type)
  if (typeof known === 'number') return known
  const count = async () => countPages(await listing.source(file), media_type)
  const counted = file.packing === 'stored' ? count() : limitWhole(count)
  return counted.catch((thrown) => {
    if (isUnpackError(thrown)) return 1 // the frame is reported as undecodable when it is opened
    throw thrown
  })
}

const onlyFirstPage =
  'a frame is made of the first page of a picture; send the other pages as files, for example those of `magick input page-%04d.png`'

/**
 * Reads the size of a picture.
 *
 * @param limitWhole serializes complete reads: several large images at once would exhaust the memory
 */
async function sizeOf(
  file: SourceFile,
  begin: Uint8Array,
  limitWhole: Limiter,
  listing: SourceListing,
): Promise<{ width: number; height: number }> {
  const { size } = file
  const known = await imageSize(begin).catch(() => undefined)
  if (known) return known
  const readWhole = async () => imageSize(await listing.head(file, size)).catch(() => undefined)
  const found = await limitWhole(readWhole)
  if (!found) throw new UnusableInput(`${fileTitle(file)}: the image cannot be read`)
  return found
}

/** Limit of context images per frame, so that a line fits into its limit with any names. */
const mostRelated = 200

async function relatedImages(frame: SourceFile, deps: FrameDeps): Promise<StoredImage[]> {
  const found = deps.related.of(frame)
  if (found.length > mostRelated)
    throw new UnusableInput(
      `${frame.name}: at most ${mostRelated} related images are allowed, there are ${found.length}`,
    )
  const images = await Promise.all(found.map((one) => relatedImage(one, deps)))
  return images.filter(isSome)
}

async function relatedImage(
  file: SourceFile,
  { listing, report, check }: FrameDeps,
): Promise<StoredImage | undefined> {
  const { name, size, known } = file
  const kind: FileKind = known
    ? { is: 'image', media_type: known.media_type }
    : sniffFile(await listing.head(file, sniffedBytes))
  const isUsable = kind.is === 'image' && size <= largestImageBytes
  if (isUsable) await check?.(file)
  if (isUsable) return { name, ...(await listing.place(file)), media_type: kind.media_type }
  ignore(report, name, kind.is === 'image' ? 'too large for a related image' : whatElse(kind, name))
  return undefined
}
