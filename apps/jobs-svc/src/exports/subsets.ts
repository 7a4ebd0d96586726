import type {
  DatasetItem,
  TaskPart as FormatPart,
  ItemFrame,
  Subset,
} from '@reticle/formats/model/dataset'
import type { ExportPart } from './export-part.ts'

/** Subset name of tasks without one, and its replacement when a task uses that name. */
const unnamed = 'default'
const unnamedToo = 'default_1'

/**
 * Groups parts into subsets: one for each name, sorted by name, with tasks in the given order. Renames frames of a
 * subset with equal names, and numbers tracks over all subsets.
 */
export function subsetsOf(parts: readonly ExportPart[]): Subset[] {
  const isTaken = parts.some(({ subset }) => subset === unnamed)
  const nameOf = ({ subset }: ExportPart) => subset || (isTaken ? unnamedToo : unnamed)
  const names = [...new Set(parts.map(nameOf))].sort()
  let firstTrackId = 0
  return names.map((name) => {
    const own = parts.filter((part) => nameOf(part) === name)
    const begin = firstTrackId
    firstTrackId += own.reduce((sum, { tracks }) => sum + tracks, 0)
    const frames = apart(own)
    return { name, frames, items: () => itemsOfAll(own, begin), parts: formatParts(own, frames) }
  })
}

function formatParts(parts: readonly ExportPart[], frames: readonly ItemFrame[]): FormatPart[] {
  let end = 0
  return parts.map((part) => {
    const start = end
    end += part.frames.length
    return {
      about: part.about,
      frames: frames.slice(start, end),
      items: (withTracks) => part.items({}, withTracks),
      tracks: part.stored,
      deletedFrames: part.deletedFrames,
    }
  })
}

async function* itemsOfAll(
  parts: readonly ExportPart[],
  begin: number,
): AsyncGenerator<DatasetItem> {
  let firstIndex = 0
  let firstTrackId = begin
  for (const { frames, tracks, items } of parts) {
    yield* items({ firstIndex, firstTrackId })
    firstIndex += frames.length
    firstTrackId += tracks
  }
}

/** Makes names unique: the second `a.jpg` becomes `a_1.jpg`, the third `a_1_1.jpg`. */
function apart(parts: readonly ExportPart[]): ItemFrame[] {
  const taken = new Set<string>()
  const free = (path: string): string => (taken.has(path) ? free(lengthened(path)) : path)
  return parts.flatMap(({ frames }) =>
    frames.map((frame) => {
      const path = free(frame.path)
      taken.add(path)
      return path === frame.path ? frame : { ...frame, path }
    }),
  )
}

const lengthened = (path: string) => path.replace(/(\.[^./]*)?$/, '_1$1')
