/** What an import knows while it reads its documents, and what all elements do with it. */
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
  /** Frames that take annotations, from the first to the last. */
  range: { first: number; last: number }
  named: Map<number, NamedLabel>
  /** The document that is being read, and the frames that it means. */
  file: string
  frames: ElementFrames
  line: () => number
  /** The size that the document declares for the video of a task, by the id of the task; each is compared once. */
  videoSizes: Map<string, FileItem['size']>
  /** What was read and is not handed on yet. */
  found: Imported[]
  shapes: number
}

/** What one document says is told when it begins. */
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

/** Where the element stands that is being read; a record is an image or a track. */
export function placeOf({ file, line }: Reading, record?: string): Place {
  return { file, record, line: line() }
}

export function failing(reading: Reading, record?: string): Fail {
  return (reason) => new FormatError(reason, placeOf(reading, record))
}

type NoteCode = Parameters<Run['report']['note']>[1]

/** Says in the report that something of an image or track was left out. */
export function skip({ run, file }: Reading, code: NoteCode, reason: string, item: string): void {
  run.report.note('skipped', code, reason, { file, item })
}

/** More shapes than these are no import (reliability.md 9). */
const shapesPerImport = 10_000_000

/** Hands on what is complete. */
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
 * The label that an element names; undefined when it names none or one that is not there, which fails the import at its end.
 * @throws {FormatError} when the element has no attribute for it
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

/** Skeletons have labels of their own (spec/formats.md 4.3). */
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
