/** The frames that the items of a file are on, with reports of shared frames and of other sizes. */
import type { Place } from './errors.ts'
import { unmatchedItems } from './match-frames.ts'
import type { ImportTarget, Run, TargetFrame, TargetFrames } from './model.ts'
import { findRepeats, type Repeats } from './repeats.ts'

/** A picture that a file has annotations of. Items are compared by identity. */
export interface FileItem {
  /** As messages name it. */
  name: string
  frame: TargetFrame | undefined
  /** In pixels, as the file declares it. */
  size?: { width: number; height: number } | undefined
}

export interface ItemFrames {
  /**
   * The frame an annotation of the item goes to. Undefined for a frame outside of the job, which is skipped, and for an item
   * without a frame, which fails the import at its end.
   */
  frameFor(item: FileItem, place: Place): TargetFrame | undefined
  /** Whether a frame takes annotations; a frame outside of the job is reported. */
  takes(frame: TargetFrame, place: Place): boolean
  /** Reports a declared size that is not that of the frame. */
  checkSize(item: FileItem, file: string | undefined): void
  /** @throws {FormatError} with the names of annotated items that have no frame */
  check(): void
}

function itemFrames({ includes }: TargetFrames, { report }: Pick<Run, 'report'>): ItemFrames {
  const unmatched = unmatchedItems()
  const owners = new Map<number, Owner>()
  const takes: ItemFrames['takes'] = ({ frame }, { file, record: item }) => {
    if (includes(frame)) return true
    const reason = 'the frame lies outside of the job'
    report.note('skipped', 'frame-outside-job', reason, { file, item })
    return false
  }
  const noteShared = ({ name, frame }: FileItem, file: string | undefined): void => {
    const reason = 'several items of the upload are on one frame, the objects of all are read'
    report.note('converted', 'duplicate-entry', reason, { file, item: `${name} on ${frame?.path}` })
  }
  const checkSize: ItemFrames['checkSize'] = ({ name, frame, size }, file) => {
    if (!frame || !size || (size.width === frame.width && size.height === frame.height)) return
    const sizes = `${size.width} x ${size.height} in the file, ${frame.width} x ${frame.height} in the task`
    const reason = 'a picture has another size than its frame, coordinates are kept as they are'
    report.note('converted', 'other-size', reason, { file, item: `${name}: ${sizes}` })
  }
  return {
    takes,
    checkSize,
    frameFor(item, place) {
      const { frame } = item
      if (!frame) unmatched.add(item.name)
      if (!frame || !takes(frame, place)) return undefined
      const owner = owners.get(frame.frame)
      if (owner?.item === item || owner?.others?.has(item)) return frame
      checkSize(item, place.file)
      if (!owner) owners.set(frame.frame, { item, file: place.file, others: undefined })
      else {
        if (!owner.others) noteShared(owner.item, owner.file)
        noteShared(item, place.file)
        owner.others = (owner.others ?? new Set()).add(item)
      }
      return frame
    },
    check: () => unmatched.check(),
  }
}

/** What the files of one upload are compared by. */
export interface Comparison {
  items: ItemFrames
  /** Absent where the upload has one file of annotations. */
  repeats: Repeats | undefined
}

export function newComparison(
  { frames }: Pick<ImportTarget, 'frames'>,
  run: Pick<Run, 'report'>,
  files = Number.POSITIVE_INFINITY,
): Comparison {
  return { items: itemFrames(frames, run), repeats: files > 1 ? findRepeats() : undefined }
}

/** The first item that has annotations on a frame, and the others on the same frame. */
interface Owner {
  item: FileItem
  file: string | undefined
  others: Set<FileItem> | undefined
}
