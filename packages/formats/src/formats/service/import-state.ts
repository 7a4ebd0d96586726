/** State of an import while it reads documents, and functions that all elements share. */

import {
  createItemComparison,
  type FileItem,
  type ItemComparison,
} from '../../importing/item-frames.ts'
import type { ConversionRun, Imported, ImportTarget } from '../../model/dataset.ts'
import { createLabelFinder, type LabelFinder } from '../../model/labels.ts'
import { type ErrorLocation, FormatError } from '../../report/errors.ts'
import type { Fail } from '../../text/numbers.ts'
import type { XmlAttributes } from '../../xml/scan.ts'
import { type ElementFrames, taskFrames } from './element-frames.ts'
import { requireAttribute } from './elements.ts'
import { type NamedLabel, namedLabel } from './named-label.ts'

export interface ImportState {
  target: ImportTarget
  run: ConversionRun
  labels: LabelFinder
  comparison: ItemComparison
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
export function createImportState(
  target: ImportTarget,
  run: ConversionRun,
  documents = 1,
): ImportState {
  const { frames, includes } = target.frames
  return {
    target,
    run,
    labels: createLabelFinder(target.labels),
    comparison: createItemComparison(target, run, documents),
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
export function currentLocation({ file, line }: ImportState, record?: string): ErrorLocation {
  return { file, record, line: line() }
}

export function createFail(state: ImportState, record?: string): Fail {
  return (reason) => new FormatError(reason, currentLocation(state, record))
}

type NoteCode = Parameters<ConversionRun['report']['note']>[1]

/** Reports that a part of an image or track was left out. */
export function reportSkipped(
  { run, file }: ImportState,
  code: NoteCode,
  reason: string,
  item: string,
): void {
  run.report.note('skipped', code, reason, { file, item })
}

/** Maximum number of shapes of an import. */
const shapesPerImport = 10_000_000

/** Queues a complete annotation. */
export function queueAnnotation(state: ImportState, one: Imported, shapes = 1): void {
  state.shapes += shapes
  if (state.shapes > shapesPerImport) {
    throw new FormatError(`more than ${shapesPerImport} shapes`, currentLocation(state))
  }
  if (state.comparison.repeats?.isRepeat(one, state.file)) {
    const reason = 'an equal object is in another file of the upload'
    state.run.report.note('skipped', 'duplicate', reason, { file: state.file })
    return
  }
  state.run.report.created(one.kind === 'tag' ? 'tags' : one.kind === 'shape' ? 'shapes' : 'tracks')
  state.found.push(one)
}

/**
 * Returns the label that an element names; undefined when it names none, or a missing one, which fails the import at
 * its end.
 * @throws {FormatError} when the element does not have the attribute `label`
 */
export function labelOf(
  state: ImportState,
  attributes: XmlAttributes,
  record: string,
): NamedLabel | undefined {
  const name = requireAttribute(attributes, 'label', createFail(state, record))
  if (name === '') {
    reportSkipped(state, 'unlabelled', 'the annotation has no label', record)
    return undefined
  }
  const label = state.labels.find(name)
  return label && state.named.get(label.id)
}

/** Returns whether a label accepts a type of shape: skeletons need skeleton labels. */
export function acceptsShapeType(
  state: ImportState,
  named: NamedLabel,
  type: string,
  record: string,
): boolean {
  const { label } = named
  if (label.type !== 'skeleton' || type === 'skeleton') return true
  reportSkipped(state, 'dropped-shape-type', `label '${label.name}' takes skeletons only`, record)
  return false
}

export function reportUnknownAttribute(
  state: ImportState,
  attribute: string,
  { label }: NamedLabel,
  record: string,
): void {
  const reason = `attribute '${attribute}' unknown on label '${label.name}'`
  reportSkipped(state, 'dropped-attribute', reason, record)
}
