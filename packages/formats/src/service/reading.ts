/** State of an import while it reads documents, and functions that all elements share. */
import { FormatError, type Place } from '../errors.ts'
import { type Comparison, type FileItem, newComparison } from '../item-frames.ts'
import { type LabelFinder, labelFinder } from '../labels.ts'
import type { Imported, ImportTarget, Run } from '../model.ts'
import type { Fail } from '../numbers.ts'
import type { XmlAttributes } from '../xml/scan.ts'
import { type ElementFrames, taskFrames } from './element-frames.ts'
import { required } from './elements.ts'
import { type NamedLabel, namedLabel } from './named-label.ts'

export interface Reading {
  target: ImportTarget
  run: Run
  labels: LabelFinder
  comparison: Comparison
  /** First and last frame that accept annotations. */
  range: { first: number; last: number }
  named: Map<number, NamedLabel>
  /** The current document, and the frames that its elements refer to. */
  file: string
  frames: ElementFrames
  line: () => number
  /** Declared video sizes by task id; each one is compared once. */
  videoSizes: Map<string, FileItem['size']>
  /** Annotations that were read and not yielded yet. */
  found: Imported[]
  shapes: number
}

/** Creates the state of an import. */
export function newReading(target: ImportTarget, run: Run, documents = 1): Reading {
  const { frames, includes } = target.frames
  return {
    target,
    run,
    labels: labelFinder(target.labels),
    comparison: newComparison(target, run, documents),
    range: {
      first: frames.find(({ frame }) => includes(frame))?.frame ?? 0,
      last: frames.findLast(({ frame }) => includes(frame))?.frame ?? -1,
    },
    named: new Map(target.labels.map((label) => [label.id, namedLabel(label)])),
    file: '',
    frames: taskFrames(target.frames, ''),
    line: () => 0,
    videoSizes: new Map(),
    found: [],
    shapes: 0,
  }
}

/** Returns the place of the current element; a record is an image or a track. */
export function placeOf({ file, line }: Reading, record?: string): Place {
  return { file, record, line: line() }
}

export function failing(reading: Reading, record?: string): Fail {
  return (reason) => new FormatError(reason, placeOf(reading, record))
}

type NoteCode = Parameters<Run['report']['note']>[1]

/** Reports that a part of an image or track was left out. */
export function skip({ run, file }: Reading, code: NoteCode, reason: string, item: string): void {
  run.report.note('skipped', code, reason, { file, item })
}

/** Maximum number of shapes of an import. */
const shapesPerImport = 10_000_000

/** Queues a complete annotation. */
export function give(reading: Reading, one: Imported, shapes = 1): void {
  reading.shapes += shapes
  if (reading.shapes > shapesPerImport) {
    throw new FormatError(`more than ${shapesPerImport} shapes`, placeOf(reading))
  }
  if (reading.comparison.repeats?.isRepeat(one, reading.file)) {
    const reason = 'an equal object is in another file of the upload'
    reading.run.report.note('skipped', 'duplicate', reason, { file: reading.file })
    return
  }
  reading.run.report.created(
    one.kind === 'tag' ? 'tags' : one.kind === 'shape' ? 'shapes' : 'tracks',
  )
  reading.found.push(one)
}

/**
 * Returns the label that an element names; undefined when it names none, or a missing one, which fails the import at
 * its end.
 * @throws {FormatError} when the element does not have the attribute `label`
 */
export function labelOf(
  reading: Reading,
  attributes: XmlAttributes,
  record: string,
): NamedLabel | undefined {
  const name = required(attributes, 'label', failing(reading, record))
  if (name === '') {
    skip(reading, 'unlabelled', 'the annotation has no label', record)
    return undefined
  }
  const label = reading.labels.find(name)
  return label && reading.named.get(label.id)
}

/** Returns whether a label accepts a type of shape: skeletons need skeleton labels. */
export function fits(reading: Reading, named: NamedLabel, type: string, record: string): boolean {
  const { label } = named
  if (label.type !== 'skeleton' || type === 'skeleton') return true
  skip(reading, 'dropped-shape-type', `label '${label.name}' takes skeletons only`, record)
  return false
}

export function noteUnknown(
  reading: Reading,
  attribute: string,
  { label }: NamedLabel,
  record: string,
): void {
  const reason = `attribute '${attribute}' unknown on label '${label.name}'`
  skip(reading, 'dropped-attribute', reason, record)
}
