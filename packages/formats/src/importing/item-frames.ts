/** Finds the frames of items in files, and reports shared frames and differing sizes. */

import type { ConversionRun, ImportTarget, TargetFrame, TargetFrames } from '../model/dataset.ts'
import type { ErrorLocation } from '../report/errors.ts'
import { createUnmatchedItems } from './match-frames.ts'
import { createRepeats, type Repeats } from './repeats.ts'

/** An image for which a file has annotations. Items are compared by identity. */
export interface FileItem {
  /** Name for messages. */
  name: string
  frame: TargetFrame | undefined
  /** Size in pixels that the file declares. */
  size?: { width: number; height: number } | undefined
}

export interface ItemFrames {
  /**
   * Returns the frame for an annotation of the item. Undefined for a frame outside the job, which is skipped, and for
   * an item without a frame, which fails the import at its end.
   */
  frameFor(item: FileItem, location: ErrorLocation): TargetFrame | undefined
  /** Returns whether a frame accepts annotations; a frame outside the job is reported. */
  takes(frame: TargetFrame, location: ErrorLocation): boolean
  /** Reports a declared size that differs from the frame. */
  checkSize(item: FileItem, file: string | undefined): void
  /**
   * Checks items at the end of the import.
   * @throws {FormatError} with the names of annotated items that have no frame
   */
  check(): void
}

function itemFrames(
  { includes }: TargetFrames,
  { report }: Pick<ConversionRun, 'report'>,
): ItemFrames {
  const unmatched = createUnmatchedItems()
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
    frameFor(item, location) {
      const { frame } = item
      if (!frame) unmatched.add(item.name)
      if (!frame || !takes(frame, location)) return undefined
      const owner = owners.get(frame.frame)
      if (owner?.item === item || owner?.others?.has(item)) return frame
      checkSize(item, location.file)
      if (!owner) owners.set(frame.frame, { item, file: location.file, others: undefined })
      else {
        if (!owner.others) noteShared(owner.item, owner.file)
        noteShared(item, location.file)
        owner.others = (owner.others ?? new Set()).add(item)
      }
      return frame
    },
    check: () => unmatched.check(),
  }
}

/** State shared by the files of one upload, to compare them. */
export interface ItemComparison {
  items: ItemFrames
  /** Absent when the upload has only one annotation file. */
  repeats: Repeats | undefined
}

export function createItemComparison(
  { frames }: Pick<ImportTarget, 'frames'>,
  run: Pick<ConversionRun, 'report'>,
  files = Number.POSITIVE_INFINITY,
): ItemComparison {
  return { items: itemFrames(frames, run), repeats: files > 1 ? createRepeats() : undefined }
}

/** The first item with annotations on a frame, and the other items on the same frame. */
interface Owner {
  item: FileItem
  file: string | undefined
  others: Set<FileItem> | undefined
}
