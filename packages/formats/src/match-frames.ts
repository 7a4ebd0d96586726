/** Finds the frame an item of a file belongs to (spec/formats.md 4.2). */
import { FormatError } from './errors.ts'
import { baseOf, percentDecoded, withoutExtension } from './members.ts'
import type { TargetFrame, TargetFrames } from './model.ts'

export interface ItemName {
  /**
   * Every name of a picture that the item carries, with extension, the likeliest first. An item with a name is never matched by a number
   * unless the task is a video.
   */
  paths: readonly string[]
  /** Absolute frame number, where the file has one. */
  frame?: number
}

export interface FrameMatcher {
  match(item: ItemName): TargetFrame | undefined
}

/**
 * A matcher for one file. Names are compared before numbers: whole paths, then base names, then both
 * percent-decoded.
 * @param deepest The path with the most parts in the file: where it ends a frame's path, what stands
 * before it there is put before every item.
 */
export function frameMatcher(target: TargetFrames, deepest = ''): FrameMatcher {
  const names = nameMatcher(target.frames, deepest)
  // Some tools write names as addresses have them, on either side.
  const hasEncodedFrames = target.frames.some(({ path }) => path.includes('%'))
  const decodedNames = once(() =>
    nameMatcher(target.frames, percentDecoded(deepest), percentDecoded),
  )
  const byDecoded = (paths: readonly string[]): TargetFrame | undefined =>
    hasEncodedFrames || paths.some((path) => path.includes('%'))
      ? decodedNames().match(paths.map(percentDecoded))
      : undefined
  return {
    match({ paths: given, frame }) {
      const paths = given.map(normalised).filter((path) => path !== '')
      return (
        names.match(paths) ??
        byDecoded(paths) ??
        byNumber(target, numberOf(paths, frame, target.is_video))
      )
    },
  }
}

interface NameMatcher {
  /** @param paths `normalised` */
  match(paths: readonly string[]): TargetFrame | undefined
}

/** @param pathOf The path of a frame as items call it. */
function nameMatcher(
  frames: readonly TargetFrame[],
  deepest: string,
  pathOf: (path: string) => string = (path) => path,
): NameMatcher {
  const index = indexFrames(frames, pathOf)
  const prefix = rootHint(frames, deepest, pathOf)
  const byName = (name: string): TargetFrame | undefined =>
    index.paths.get(name) ?? index.stems.get(name) ?? index.stems.get(withoutExtension(name))
  const byPath = (path: string): TargetFrame | undefined =>
    byName(path) ?? (prefix === '' ? undefined : byName(prefix + path))
  return {
    match: (paths) =>
      first(paths, byPath) ??
      first(paths, (path) => byBase(index, path)) ??
      first(paths, (path) => byLowerBase(index, path)),
  }
}

/** The path with the most parts. */
export function deepestOf(paths: Iterable<string>): string {
  let [best, most] = ['', 0]
  for (const path of paths) {
    const parts = path.split('/').length
    if (parts > most) [best, most] = [path, parts]
  }
  return best
}

export interface UnmatchedItems {
  add(name: string): void
  /** @throws {FormatError} with the count and up to ten names. */
  check(): void
}

/** Collects items with annotations that have no frame: they fail an import at its end. */
export function unmatchedItems(): UnmatchedItems {
  const names = new Set<string>()
  return {
    add: (name) => names.add(name),
    check() {
      if (names.size === 0) return
      const shown = [...names].slice(0, 10).join(', ')
      const more = names.size > 10 ? ', ...' : ''
      const [items, have] = names.size === 1 ? ['item', 'has'] : ['items', 'have']
      throw new FormatError(
        `${names.size} annotated ${items} ${have} no matching frame in this task: ${shown}${more}`,
      )
    },
  }
}

interface FrameIndex {
  paths: Map<string, TargetFrame>
  /** Paths without their last extension. */
  stems: Map<string, TargetFrame>
  /** Names without folders and extension; null where several frames share one. */
  bases: Map<string, TargetFrame | null>
  lowerBases: Map<string, TargetFrame | null>
  /** Names without folders, asked where several frames share a base; null where several share them as well. */
  files: () => Map<string, TargetFrame | null>
}

function indexFrames(frames: readonly TargetFrame[], pathOf: (path: string) => string): FrameIndex {
  const index: FrameIndex = {
    paths: new Map(),
    stems: new Map(),
    bases: new Map(),
    lowerBases: new Map(),
    files: once(() => fileNames(frames, pathOf)),
  }
  for (const frame of frames) {
    const path = normalised(pathOf(frame.path))
    const stem = withoutExtension(path)
    const base = baseOf(stem)
    const lower = base.toLowerCase()
    index.paths.set(path, frame)
    if (!index.stems.has(stem)) index.stems.set(stem, frame)
    index.bases.set(base, index.bases.has(base) ? null : frame)
    index.lowerBases.set(lower, index.lowerBases.has(lower) ? null : frame)
  }
  return index
}

function fileNames(
  frames: readonly TargetFrame[],
  pathOf: (path: string) => string,
): Map<string, TargetFrame | null> {
  const names = new Map<string, TargetFrame | null>()
  for (const frame of frames) {
    const name = baseOf(normalised(pathOf(frame.path)))
    names.set(name, names.has(name) ? null : frame)
  }
  return names
}

/** Most files never ask. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** What stands before the deepest item in the first frame that ends with it. */
function rootHint(
  frames: readonly TargetFrame[],
  deepest: string,
  pathOf: (path: string) => string,
): string {
  if (deepest === '') return ''
  const end = `/${withoutExtension(normalised(deepest))}`
  for (const frame of frames) {
    const stem = withoutExtension(normalised(pathOf(frame.path)))
    if (stem.endsWith(end)) return stem.slice(0, 1 - end.length)
  }
  return ''
}

/**
 * The frame number of an item. In a video its name may be one, or `frame_` and one. Elsewhere numbers count only for items without a
 * name: otherwise annotations could land on another picture than the one that is named.
 */
function numberOf(
  paths: readonly string[],
  frame: number | undefined,
  isVideo: boolean,
): number | undefined {
  if (isVideo) return first(paths, numberIn) ?? frame
  return paths.length === 0 ? frame : undefined
}

function numberIn(path: string): number | undefined {
  const stem = withoutExtension(path)
  if (/^\d{1,15}$/.test(stem)) return Number(stem)
  const found = /^frame_(\d{6,15})$/.exec(baseOf(stem))
  return found ? Number(found[1]) : undefined
}

function byNumber(target: TargetFrames, absolute: number | undefined): TargetFrame | undefined {
  if (absolute === undefined) return undefined
  const frame = (absolute - target.start_frame) / target.step
  return Number.isInteger(frame) ? target.frames[frame] : undefined
}

/** A base name may have dots and no extension: it is compared as a whole first. */
function byBase(index: FrameIndex, path: string): TargetFrame | undefined {
  const name = baseOf(path)
  const found = index.bases.get(name) ?? index.bases.get(withoutExtension(name))
  return found === null ? (index.files().get(name) ?? undefined) : found
}

function byLowerBase(index: FrameIndex, path: string): TargetFrame | undefined {
  const name = baseOf(path).toLowerCase()
  const { lowerBases } = index
  return lowerBases.get(name) ?? lowerBases.get(withoutExtension(name)) ?? undefined
}

function first<T, R>(values: readonly T[], find: (value: T) => R | undefined): R | undefined {
  for (const value of values) {
    const found = find(value)
    if (found !== undefined) return found
  }
  return undefined
}

/** The one form of a path: `/` between parts, none before it, NFC. */
export function normalised(path: string): string {
  return path
    .replaceAll('\\', '/')
    .normalize('NFC')
    .replace(/^(?:\.?\/)+/, '')
}
