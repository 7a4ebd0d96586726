/** What exports of all formats put into an archive alike (spec/formats.md 5). */
import type { ArchiveFile } from './archive/zip-writer.ts'
import { withoutExtension } from './members.ts'
import type { Dataset, Item, ItemFrame, Run, Subset } from './model.ts'

/** Share of an export with images after which the documents are written. */
const documentsShare = 0.25

/** The part of a run in which documents are written: all of it without images. */
export function documentsRun({ saveImages }: Dataset, run: Run): Run {
  const share = saveImages ? documentsShare : 1
  return { ...run, progress: (done: number) => run.progress(share * done) }
}

/** Every frame of a subset in order, with what is on it. */
export async function* everyFrame({
  frames,
  items,
}: Pick<Subset, 'frames' | 'items'>): AsyncGenerator<{ frame: ItemFrame; item: Item }> {
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

/** The pictures of a data set; `folderOf` says where those of a subset are. */
export async function* imageFiles(
  { subsets }: Dataset,
  run: Run,
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
 * The same data set for formats that put all subsets into one folder: a frame that is called as one of another subset is in a folder
 * called as its own.
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
 * What frames are called in files: their paths without extension, and with it where another frame is called so already, which the
 * report tells.
 * @param taken Names in use: the new ones come to them.
 */
export function itemIds(
  frames: readonly ItemFrame[],
  run: Pick<Run, 'report'>,
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

/** Programs pair pictures and annotations by their names without extensions: such a picture has another's annotations there. */
export function noteSharedName(path: string, { report }: Pick<Run, 'report'>): void {
  const reason =
    'another picture has this name but for the extension: the file of annotations is named with it, where few programs look'
  report.note('converted', 'duplicate-entry', reason, { item: path })
}

/** A subset may be called anything, a member of an archive may not. */
export function fileName(subset: string): string {
  return subset.replace(/[\\/:\p{Cc}]/gu, '_').replace(/^\.+$/, '_')
}

/**
 * What subsets are called in the names of members, no two alike: a taken name gets `_1`. Some file systems do not tell `Train`
 * from `train`.
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

/** Text is handed on in pieces of about this many characters. */
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
