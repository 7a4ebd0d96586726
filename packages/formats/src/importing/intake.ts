/** Processing that imports of all formats share: finds frames and labels, counts objects, and reports skipped ones. */

import type {
  AttributeSpec,
  AttributeValue,
  ConversionRun,
  DatasetLabel,
  DatasetShape,
  DatasetTag,
  DatasetTrack,
  Imported,
  ImportTarget,
} from '../model/dataset.ts'
import { createLabelFinder, expectedValue, storedValue } from '../model/labels.ts'
import type { ReportCode, ReportKind } from '../report/conversion-report.ts'
import { type ErrorLocation, FormatError } from '../report/errors.ts'
import {
  createItemComparison,
  type FileItem,
  type ItemComparison,
  type ItemFrames,
} from './item-frames.ts'
import { createFrameMatcher, type ItemName } from './match-frames.ts'
import { readSource } from './object-source.ts'

export interface ImportIntake {
  readonly target: ImportTarget
  readonly run: ConversionRun
  /** First and last frame that accept annotations; the last is below the first when no frame does. */
  readonly range: { first: number; last: number }
  /** Returns an item with its frame, inside or outside the job. Called once for each item. */
  match(names: ItemName, declared: Pick<FileItem, 'name' | 'size'>): FileItem
  frameFor: ItemFrames['frameFor']
  takes: ItemFrames['takes']
  /**
   * Returns the label with a name, for anything but skeletons. Undefined when the annotation is skipped (no name,
   * `background`, or a skeleton label), or when the label is missing, which fails the import at its end.
   * @param origin Source of the name when it is not from the file
   */
  labelFor(name: string, location: ErrorLocation, origin?: string): DatasetLabel | undefined
  /**
   * Returns the values of attributes that the label has; others are reported. The caller must remove flags first
   * (`flags.ts`).
   */
  valuesFor(
    label: DatasetLabel,
    given: Iterable<readonly [string, unknown]>,
    location: ErrorLocation,
  ): AttributeValue[]
  /** Returns the score of a shape: 1 when it is missing or not between 0 and 1, which is reported. */
  scoreFor(given: unknown, location: ErrorLocation): number
  /** Returns the source of an object: `file` when it is missing; an unknown one becomes `manual` and is reported. */
  sourceFor(given: unknown, location: ErrorLocation): string
  /** Returns the next group number on a frame, from 1. */
  newGroup(frame: number): number
  /**
   * Returns the shape to store, and counts it with its skeleton elements. An object that occurs in another file of
   * the upload is reported and left out.
   */
  shape(shape: NewShape): Imported[]
  tag(tag: Omit<DatasetTag, 'source'> & Partial<DatasetTag>): Imported[]
  /**
   * Returns the track to store.
   * @param file File of all its shapes, if known.
   */
  track(track: DatasetTrack, file?: string): Imported[]
  /** Counts a file or record that was recognized, even without annotations; `frameFor` counts as well. */
  noteUnderstood(): void
  /** Returns the number of recognized files and records. */
  understood(): number
  note(kind: ReportKind, code: ReportCode, reason: string, location: ErrorLocation): void
  skip(code: ReportCode, reason: string, location: ErrorLocation): void
  /**
   * Checks names at the end of the import.
   * @throws {FormatError} that names missing labels and items without a frame
   */
  check(): void
}

export type NewShape = Pick<DatasetShape, 'type' | 'frame' | 'label_id' | 'points'> &
  Partial<DatasetShape>

/** Maximum number of shapes of an import. */
const shapesPerImport = 10_000_000

/**
 * Creates the intake of an import.
 * @param deepest The path with the most parts among the items of the file (`deepestOf`).
 * @param comparison Shared by all intakes of an upload with several parts.
 */
export function createIntake(
  target: ImportTarget,
  run: ConversionRun,
  deepest = '',
  comparison: ItemComparison = createItemComparison(target, run),
): ImportIntake {
  const matcher = createFrameMatcher(target.frames, deepest)
  const labels = createLabelFinder(target.labels)
  const { items, repeats } = comparison
  const groups = new Map<number, number>()
  let understood = 0
  const current: CurrentFile = { file: undefined }
  const note: ImportIntake['note'] = (kind, code, reason, { file, record }) =>
    run.report.note(kind, code, reason, { file, item: record })
  const skip: ImportIntake['skip'] = (code, reason, location) =>
    note('skipped', code, reason, location)
  return {
    target,
    run,
    note,
    skip,
    ...countObjects(run, { repeats, current, skip }),
    range: rangeOf(target.frames),
    match: (names, { name, size }) => ({ name, size, frame: matcher.match(names) }),
    takes: items.takes,
    noteUnderstood() {
      understood += 1
    },
    understood: () => understood,
    frameFor(item, location) {
      understood += 1
      current.file = location.file
      return items.frameFor(item, location)
    },
    labelFor(name, location, origin) {
      if (name === '') skip('unlabelled', 'the annotation has no label', location)
      const label = name === '' ? undefined : labels.find(name, origin)
      if (label?.type !== 'skeleton') return label
      skip('dropped-shape-type', `label '${label.name}' takes skeletons only`, location)
      return undefined
    },
    valuesFor: (label, given, location) => valuesFor(label, given, location, { run, skip }),
    scoreFor: (given, location) => scoreFor(given, location, note),
    sourceFor: (given, location) =>
      readSource(given, (reason) => note('converted', 'unknown-source', reason, location)) ??
      'file',
    newGroup(frame) {
      const group = (groups.get(frame) ?? 0) + 1
      groups.set(frame, group)
      return group
    },
    check() {
      labels.check()
      items.check()
    },
  }
}

/** The file that is currently being read. */
interface CurrentFile {
  file: string | undefined
}

interface Counting extends Pick<ImportIntake, 'skip'>, Pick<ItemComparison, 'repeats'> {
  current: CurrentFile
}

/** Creates the functions that count objects and return them. */
function countObjects(
  { report }: ConversionRun,
  { repeats, current, skip }: Counting,
): Pick<ImportIntake, 'shape' | 'tag' | 'track'> {
  let shapes = 0
  const count = (more: number) => {
    shapes += more
    if (shapes > shapesPerImport) throw new FormatError(`more than ${shapesPerImport} shapes`)
  }
  const kept = (
    kinds: 'shapes' | 'tags' | 'tracks',
    object: Imported,
    file: string | undefined,
  ): Imported[] => {
    const isRepeat = file !== undefined && repeats?.isRepeat(object, file) === true
    if (isRepeat) skip('duplicate', 'an equal object is in another file of the upload', { file })
    const found = isRepeat ? [] : [object]
    report.created(kinds, found.length)
    return found
  }
  return {
    shape(given) {
      const shape = createShape(given)
      count(1 + shape.elements.length)
      return kept('shapes', { kind: 'shape', shape }, current.file)
    },
    tag: (given) => kept('tags', { kind: 'tag', tag: { source: 'file', ...given } }, current.file),
    track(track, file) {
      count(track.shapes.length)
      return kept('tracks', { kind: 'track', track }, file)
    },
  }
}

function scoreFor(given: unknown, location: ErrorLocation, note: ImportIntake['note']): number {
  if (given === undefined || given === null) return 1
  if (typeof given === 'number' && given >= 0 && given <= 1) return given
  const reason = 'a score is not between 0 and 1, it is left out'
  note('converted', 'dropped-attribute', reason, location)
  return 1
}

function rangeOf({ frames, includes }: ImportTarget['frames']): ImportIntake['range'] {
  return {
    first: frames.find(({ frame }) => includes(frame))?.frame ?? 0,
    last: frames.findLast(({ frame }) => includes(frame))?.frame ?? -1,
  }
}

const none: readonly never[] = []

/** Returns a complete shape, with defaults for missing fields. */
export function createShape(given: NewShape): DatasetShape {
  // Built field by field: object spread takes three times as long for millions of shapes.
  return {
    type: given.type,
    frame: given.frame,
    label_id: given.label_id,
    points: given.points,
    group: given.group ?? 0,
    source: given.source ?? 'file',
    occluded: given.occluded ?? false,
    outside: given.outside ?? false,
    z_order: given.z_order ?? 0,
    rotation: given.rotation ?? 0,
    score: given.score ?? 1,
    attributes: given.attributes ?? none,
    elements: given.elements ?? none,
  }
}

/** Reports a value that its attribute does not allow to the caller of the import. */
export function reportUnlisted(
  { onUnlistedValue }: ConversionRun,
  spec: AttributeSpec,
  value: string,
  where: () => { label: string; location: ErrorLocation },
): void {
  const expected = onUnlistedValue && expectedValue(spec, value)
  if (expected === undefined) return
  const { label, location } = where()
  const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value
  const reason = `attribute "${spec.name}" of label '${label}' is "${shown}", expected ${expected}`
  onUnlistedValue?.(new FormatError(reason, location))
}

function valuesFor(
  label: DatasetLabel,
  given: Iterable<readonly [string, unknown]>,
  location: ErrorLocation,
  { run, skip }: Pick<ImportIntake, 'run' | 'skip'>,
): AttributeValue[] {
  const values: AttributeValue[] = []
  for (const [name, text] of given) {
    const spec = label.attributes.find((one) => one.name === name)
    const value = spec && storedValue(spec, text, location)
    if (spec && value !== undefined) {
      reportUnlisted(run, spec, value, () => ({ label: label.name, location }))
      values.push({ spec_id: spec.id, value })
    }
    if (!spec) {
      const reason = `attribute '${name}' unknown on label '${label.name}'`
      skip('dropped-attribute', reason, location)
    }
  }
  return values
}

/** Returns the completed share, from 0 to 1; 1 when there is nothing to do. */
export const shareOf = (done: number, total: number): number =>
  total > 0 ? Math.min(1, Math.max(0, done / total)) : 1
