/** Helpers that exports of all formats share: images, names of files, and text in pieces. */
import type { ArchiveFile } from '../archive/zip-writer.ts'
import type { ConversionRun, Dataset, DatasetItem, ItemFrame, Subset } from '../model/dataset.ts'
import { withoutExtension } from '../text/paths.ts'

/** Share of the progress after which the documents of an export with images are complete. */
const documentsShare = 0.25

/** Returns the run with progress limited to the documents' share; without images that is the whole run. */
export function documentsRun({ saveImages }: Dataset, run: ConversionRun): ConversionRun {
  const share = saveImages ? documentsShare : 1
  return { ...run, progress: (done: number) => run.progress(share * done) }
}

/** Yields every frame of a subset in order, with its annotations. */
export async function* everyFrame({
  frames,
  items,
}: Pick<Subset, 'frames' | 'items'>): AsyncGenerator<{ frame: ItemFrame; item: DatasetItem }> {
  let next = 0
  const upTo = function* (end: number) {
    for (; next < end; next += 1) {
      const frame = frames[next]
      if (frame) yield { frame, item: { index: next, shapes: [], tags: [] } }
    }
  }
  for await (const item of items()) {
    yield* upTo(item.index)
    const frame = frames[item.index]
    if (frame) yield { frame, item }
    next = item.index + 1
  }
  yield* upTo(frames.length)
}

/** Yields the image files of a dataset; `folderOf` returns the folder of a subset. */
export async function* imageFiles(
  { subsets }: Dataset,
  run: ConversionRun,
  folderOf: (subset: string) => string,
): AsyncGenerator<ArchiveFile> {
  const all = subsets.reduce((sum, { frames }) => sum + frames.length, 0)
  let done = 0
  for (const { name, frames } of subsets) {
    for (const { path, image, source } of frames) {
      run.signal.throwIfAborted()
      if (image) yield { path: `${folderOf(name)}/${path}`, content: image(), source }
      done += 1
      run.progress(documentsShare + ((1 - documentsShare) * done) / all)
    }
  }
}

/**
 * Prepares a dataset for formats that store all subsets in one folder: a frame with the path of an earlier frame
 * moves into a folder named after its subset.
 */
export function inOneFolder(dataset: Dataset): Dataset {
  const taken = new Set<string>()
  const subsets = dataset.subsets.map((subset) => {
    const frames = subset.frames.map((frame) =>
      taken.has(frame.path) ? { ...frame, path: `${fileName(subset.name)}/${frame.path}` } : frame,
    )
    for (const { path } of frames) taken.add(path)
    return { ...subset, frames }
  })
  return { ...dataset, subsets }
}

/**
 * Returns the names of frames in files: paths without extension. When another frame has the same name, the extension
 * is kept and this is reported.
 * @param taken Names in use; the new names are added.
 */
export function itemIds(
  frames: readonly ItemFrame[],
  run: Pick<ConversionRun, 'report'>,
  taken = new Set<string>(),
): string[] {
  return frames.map(({ path }) => {
    const stem = withoutExtension(path)
    const id = taken.has(stem) ? path : stem
    if (id !== stem) noteSharedName(path, run)
    taken.add(id)
    return id
  })
}

/**
 * Reports a shared name. Programs pair images and annotations by name without extension, so they would assign the
 * annotations of another image.
 */
export function noteSharedName(path: string, { report }: Pick<ConversionRun, 'report'>): void {
  const reason =
    'another picture has this name but for the extension: the file of annotations is named with it, where few programs look'
  report.note('converted', 'duplicate-entry', reason, { item: path })
}

/** Converts a subset name to a valid file name. */
export function fileName(subset: string): string {
  return subset.replace(/[\\/:\p{Cc}]/gu, '_').replace(/^\.+$/, '_')
}

/**
 * Returns distinct file names for subsets: a name in use gets the suffix `_1`. Names are compared without case,
 * because some file systems treat `Train` and `train` as equal.
 */
export function distinctNames(
  subsets: readonly string[],
  nameOf: (subset: string) => string = fileName,
): Map<string, string> {
  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const subset of subsets) {
    const wanted = nameOf(subset)
    let name = wanted
    for (let count = 1; taken.has(name.toLowerCase()); count += 1) name = `${wanted}_${count}`
    taken.add(name.toLowerCase())
    names.set(subset, name)
  }
  return names
}

/** Minimum number of characters in a piece of text. */
const pieceLength = 65_536

export async function* inPieces(
  parts: AsyncIterable<string> | Iterable<string>,
): AsyncGenerator<string> {
  let piece = ''
  for await (const part of parts) {
    piece += part
    if (piece.length < pieceLength) continue
    yield piece
    piece = ''
  }
  yield piece
}
