import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cutBytes } from '@reticle/kit/call/pieces'
import sharp from 'sharp'
import { tooLarge, tooMuch } from '../../media/pdf/failures.ts'
import { type DrawnPage, mostPdfBytes } from '../../media/pdf/reader.ts'
import { copyToDisk } from '../../storage/stored-file.ts'
import type { OperationDeps } from '../operation.ts'
import { readShare, type SourceDeps } from '../sources/deps.ts'
import {
  createSourceListing,
  type SourceFile,
  type SourceListing,
} from '../sources/source-listing.ts'
import type { Selection } from './selection.ts'

export type PagesDeps = Pick<OperationDeps, 'pdfs' | 'tmpDir'> &
  Pick<SourceDeps, 'blobs' | 'limits' | 'signal' | 'prefix' | 'progress'>

export interface Pages {
  /** Pictures of the selected pages. */
  listing: SourceListing
  /** Number of pages of the PDF, selected or not. */
  count: number
}

/**
 * Draws the pages of a PDF as PNGs, once, one after the other into one object below `prefix`. The object exists when
 * all of them are written; then they are images like others (docs/adr/0025-render-pdf-pages-once-as-images.md).
 *
 * @param selection pages to draw, counted from 0
 * @throws UnusableInput naming the file and its fault; DomainError as the object store does, and as `PdfReader`
 */
export async function pagesOf(
  file: SourceFile,
  selection: Selection,
  { pdfs, tmpDir, ...deps }: PagesDeps,
): Promise<Pages> {
  const { name, size } = file
  const { blobs, signal, prefix } = deps
  if (size > mostPdfBytes) throw tooLarge(file, size)
  const path = join(tmpDir, 'pages.pdf')
  try {
    await copyToDisk(blobs, file, path, signal)
    const local = { path, name }
    const count = await pdfs.count(local, signal)
    const chosen = [...Array(count).keys()].filter(selection.has)
    const made: SourceFile[] = []
    if (chosen.length > 0) {
      const about = { ...deps, key: `${prefix}pages`, nameOf: namesOf(name, count), made }
      const drawn = pdfs.draw(local, chosen, signal)
      await blobs.put(about.key, pictures(file, drawn, chosen.length, about), { signal })
    }
    return { listing: createSourceListing(made, blobs), count }
  } finally {
    await rm(path, { force: true })
  }
}

interface Making extends Pick<PagesDeps, 'limits' | 'progress'> {
  key: string
  nameOf: (page: number) => string
  /** Filled while the object is written. */
  made: SourceFile[]
}

/** Yields PNGs one after the other. While one is encoded, the next is drawn. */
async function* pictures(
  file: SourceFile,
  drawn: AsyncIterable<DrawnPage>,
  count: number,
  { limits, progress, key, nameOf, made }: Making,
): AsyncGenerator<Uint8Array> {
  let offset = 0
  progress(0, drawing)
  for await (const { page, width, height, pixels } of drawn) {
    const raw = { width, height, channels: 4 } as const
    const png = await sharp(pixels, { raw }).removeAlpha().png().toBuffer()
    const { length } = png
    if (offset + length > limits.bytes) throw tooMuch(file, limits.bytes)
    const known = { media_type: 'image/png', size: { width, height } }
    made.push({ name: nameOf(page), size: length, key, offset, length, packing: 'stored', known })
    offset += length
    yield* cutBytes(png)
    progress((readShare * made.length) / count, drawing)
  }
}

const drawing = 'Drawing pages'

/** Characters of the PDF's name used in the names of its pages, which have a length limit. */
const longestBase = 1000

/**
 * Creates the names of pages: `scan-0001.png` is the first page of `a/scan.pdf`, with enough digits to sort them in
 * order.
 */
function namesOf(file: string, count: number): (page: number) => string {
  const name = file.slice(file.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  const base = [...(dot > 0 ? name.slice(0, dot) : name)]
  const digits = Math.max(4, String(count).length)
  const begin = base.slice(0, longestBase).join('')
  return (page) => `${begin}-${String(page + 1).padStart(digits, '0')}.png`
}
