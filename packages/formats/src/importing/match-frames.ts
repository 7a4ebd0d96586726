/** Finds the frame that an item of a file belongs to (docs/spec/formats.md#matching-items-to-frames). */

import type { TargetFrame, TargetFrames } from '../model/dataset.ts'
import { FormatError } from '../report/errors.ts'
import { baseOf, percentDecoded, withoutExtension } from '../text/paths.ts'

export interface ItemName {
  /**
   * Every name of the image that the item has, with extension, most likely first. An item with a name is never
   * matched by a number, except in a video.
   */
  paths: readonly string[]
  /** Absolute frame number, if the file has one. */
  frame?: number
}

export interface FrameMatcher {
  match(item: ItemName): TargetFrame | undefined
}

/**
 * Creates a matcher for one file. Names take precedence over numbers: whole paths, then base names, then both
 * percent-decoded.
 * @param deepest The path with the most parts in the file. If a frame's path ends with it, the rest of that path is a
 * prefix for all items.
 */
export function createFrameMatcher(target: TargetFrames, deepest = ''): FrameMatcher {
  const names = nameMatcher(target.frames, deepest)
  // Tools may percent-encode names in files, and users may upload files with percent-encoded names.
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
      const paths = given.map(normalizePath).filter((path) => path !== '')
      return (
        names.match(paths) ??
        byDecoded(paths) ??
        byNumber(target, numberOf(paths, frame, target.is_video))
      )
    },
  }
}

interface NameMatcher {
  /** Returns the frame for one of the paths, which must be `normalised`. */
  match(paths: readonly string[]): TargetFrame | undefined
}

/**
 * Creates a matcher by name.
 * @param pathOf Converts the path of a frame to the form that items use.
 */
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

/** Returns the path with the most parts. */
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
  /**
   * Checks items at the end of the import.
   * @throws {FormatError} with the count and up to ten names
   */
  check(): void
}

/** Creates a collection of annotated items without a frame, which fail an import at its end. */
export function createUnmatchedItems(): UnmatchedItems {
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
  /** Names without folders and extension; null when several frames share one. */
  bases: Map<string, TargetFrame | null>
  lowerBases: Map<string, TargetFrame | null>
  /** Names without folders, used when several frames share a base name; null when several share these as well. */
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
    const path = normalizePath(pathOf(frame.path))
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
    const name = baseOf(normalizePath(pathOf(frame.path)))
    names.set(name, names.has(name) ? null : frame)
  }
  return names
}

/** Creates a value on first use, because most files do not need it. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** Returns the prefix before the deepest item in the first frame path that ends with it. */
function rootHint(
  frames: readonly TargetFrame[],
  deepest: string,
  pathOf: (path: string) => string,
): string {
  if (deepest === '') return ''
  const end = `/${withoutExtension(normalizePath(deepest))}`
  for (const frame of frames) {
    const stem = withoutExtension(normalizePath(pathOf(frame.path)))
    if (stem.endsWith(end)) return stem.slice(0, 1 - end.length)
  }
  return ''
}

/**
 * Returns the frame number of an item. In a video its name may be a number, or `frame_` and a number. Elsewhere a
 * number counts only for items without a name, because it could assign annotations to another image than the named
 * one.
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

/** A base name may contain dots and have no extension, so it is compared as a whole first. */
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

/** Normalizes a path: `/` between parts, no leading `/`, NFC. */
export function normalizePath(path: string): string {
  return path
    .replaceAll('\\', '/')
    .normalize('NFC')
    .replace(/^(?:\.?\/)+/, '')
}
