/** What imports of all formats do with what they read: find its frame and label, count it, and say what is passed over. */
import { FormatError, type Place } from './errors.ts'
import { type Comparison, type FileItem, type ItemFrames, newComparison } from './item-frames.ts'
import { expectedValue, labelFinder, storedValue } from './labels.ts'
import { frameMatcher, type ItemName } from './match-frames.ts'
import type {
  AttributeSpec,
  AttributeValue,
  Imported,
  ImportTarget,
  Label,
  Run,
  Shape,
  Tag,
  Track,
} from './model.ts'
import type { ReportCode, ReportKind } from './report.ts'

export interface Intake {
  readonly target: ImportTarget
  readonly run: Run
  /** First and last frame that take annotations; none where the last is below the first. */
  readonly range: { first: number; last: number }
  /** An item with its frame, inside or outside of the job. Called once for each item. */
  match(names: ItemName, about: Pick<FileItem, 'name' | 'size'>): FileItem
  frameFor: ItemFrames['frameFor']
  takes: ItemFrames['takes']
  /**
   * The label of a name for anything but skeletons. Undefined where the annotation is passed over: it has no name, is `background`, is of
   * a skeleton; or the label is missing, and the import fails at its end.
   * @param origin Where the name is from, if not from the file
   */
  labelFor(name: string, place: Place, origin?: string): Label | undefined
  /** The values a label has attributes for; others are told of. Reserved names (spec/formats.md 3.2) are not to be among them. */
  valuesFor(
    label: Label,
    given: Iterable<readonly [string, unknown]>,
    place: Place,
  ): AttributeValue[]
  /** The score of a shape: 1 where none is given, or it is no share, which is told of. */
  scoreFor(given: unknown, place: Place): number
  /** The next number of a group on a frame, from 1. */
  newGroup(frame: number): number
  /**
   * Each counts what it hands on; elements of skeletons are counted with them. An object that another file of the upload has as well
   * is reported and left out.
   */
  shape(shape: NewShape): Imported[]
  tag(tag: Omit<Tag, 'source'> & Partial<Tag>): Imported[]
  /** @param file Of all its shapes, where it is known. */
  track(track: Track, file?: string): Imported[]
  /** Counts a file or record that was understood as annotations, also where it has none; `frameFor` counts as well. */
  noteUnderstood(): void
  /** How many there are. */
  understood(): number
  note(kind: ReportKind, code: ReportCode, reason: string, place: Place): void
  skip(code: ReportCode, reason: string, place: Place): void
  /** @throws {FormatError} naming labels and items that were looked for in vain */
  check(): void
}

export type NewShape = Pick<Shape, 'type' | 'frame' | 'label_id' | 'points'> & Partial<Shape>

/** More shapes than these are no import (reliability.md 9). */
const shapesPerImport = 10_000_000

/**
 * @param deepest The path with the most parts among the items of the file (`deepestOf`).
 * @param comparison Of the upload, where it has several parts with an intake each.
 */
export function newIntake(
  target: ImportTarget,
  run: Run,
  deepest = '',
  comparison: Comparison = newComparison(target, run),
): Intake {
  const matcher = frameMatcher(target.frames, deepest)
  const labels = labelFinder(target.labels)
  const { items, repeats } = comparison
  const groups = new Map<number, number>()
  let understood = 0
  const reading: Reading = { file: undefined }
  const note: Intake['note'] = (kind, code, reason, { file, record }) =>
    run.report.note(kind, code, reason, { file, item: record })
  const skip: Intake['skip'] = (code, reason, place) => note('skipped', code, reason, place)
  return {
    ...{ target, run, note, skip },
    ...countObjects(run, { repeats, reading, skip }),
    range: rangeOf(target.frames),
    match: (names, { name, size }) => ({ name, size, frame: matcher.match(names) }),
    takes: items.takes,
    noteUnderstood() {
      understood += 1
    },
    understood: () => understood,
    frameFor(item, place) {
      understood += 1
      reading.file = place.file
      return items.frameFor(item, place)
    },
    labelFor(name, place, origin) {
      if (name === '') skip('unlabelled', 'the annotation has no label', place)
      const label = name === '' ? undefined : labels.find(name, origin)
      if (label?.type !== 'skeleton') return label
      skip('dropped-shape-type', `label '${label.name}' takes skeletons only`, place)
      return undefined
    },
    valuesFor: (label, given, place) => valuesFor(label, given, place, { run, skip }),
    scoreFor: (given, place) => scoreFor(given, place, note),
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

/** The file whose records are read. */
interface Reading {
  file: string | undefined
}

interface Counting extends Pick<Intake, 'skip'>, Pick<Comparison, 'repeats'> {
  reading: Reading
}

/** The part of an intake that hands objects on. */
function countObjects(
  { report }: Run,
  { repeats, reading, skip }: Counting,
): Pick<Intake, 'shape' | 'tag' | 'track'> {
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
      const shape = newShape(given)
      count(1 + shape.elements.length)
      return kept('shapes', { kind: 'shape', shape }, reading.file)
    },
    tag: (given) => kept('tags', { kind: 'tag', tag: { source: 'file', ...given } }, reading.file),
    track(track, file) {
      count(track.shapes.length)
      return kept('tracks', { kind: 'track', track }, file)
    },
  }
}

function scoreFor(given: unknown, place: Place, note: Intake['note']): number {
  if (given === undefined || given === null) return 1
  if (typeof given === 'number' && given >= 0 && given <= 1) return given
  const reason = 'a score is not between 0 and 1, it is left out'
  note('converted', 'dropped-attribute', reason, place)
  return 1
}

function rangeOf({ frames, includes }: ImportTarget['frames']): Intake['range'] {
  return {
    first: frames.find(({ frame }) => includes(frame))?.frame ?? 0,
    last: frames.findLast(({ frame }) => includes(frame))?.frame ?? -1,
  }
}

const none: readonly never[] = []

/** A shape with what it says, and what shapes are where nothing is said. */
export function newShape(given: NewShape): Shape {
  // Field by field: spread, millions of them take three times as long.
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
export function noteUnlisted(
  { onUnlistedValue }: Run,
  spec: AttributeSpec,
  value: string,
  where: () => { label: string; place: Place },
): void {
  const expected = onUnlistedValue && expectedValue(spec, value)
  if (expected === undefined) return
  const { label, place } = where()
  const shown = value.length > 100 ? `${value.slice(0, 100)}…` : value
  const reason = `attribute "${spec.name}" of label '${label}' is "${shown}", expected ${expected}`
  onUnlistedValue?.(new FormatError(reason, place))
}

function valuesFor(
  label: Label,
  given: Iterable<readonly [string, unknown]>,
  place: Place,
  { run, skip }: Pick<Intake, 'run' | 'skip'>,
): AttributeValue[] {
  const values: AttributeValue[] = []
  for (const [name, text] of given) {
    const spec = label.attributes.find((one) => one.name === name)
    const value = spec && storedValue(spec, text, place)
    if (spec && value !== undefined) {
      noteUnlisted(run, spec, value, () => ({ label: label.name, place }))
      values.push({ spec_id: spec.id, value })
    }
    if (!spec) {
      const reason = `attribute '${name}' unknown on label '${label.name}'`
      skip('dropped-attribute', reason, place)
    }
  }
  return values
}
