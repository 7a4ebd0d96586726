import { type Shape, shapeTypes, type Tag } from '@reticle/contracts/rest/annotations'
import type { Pace } from '@reticle/kit/scheduling/pacer'
import { type AttributeRules, readAttributes } from './attributes.ts'
import {
  type Bounds,
  integers,
  type JsonFields,
  naturals,
  readFields,
  readFlag,
  readGroup,
  readId,
  readInteger,
  readList,
  readNumber,
  readSource,
  readWord,
} from './fields.ts'
import type { LabelIndex, LabelRules, SpecSet } from './labels.ts'
import { type MaskBox, readPoints } from './points.ts'
import { isFull, reportObjectProblem, reportProblem, type ValidationReport } from './report.ts'

/** Frame range of a target, inclusive. */
export interface FrameRange {
  start: number
  stop: number
  /** Frames within the range that exist; absent: all. */
  chosen?: ReadonlySet<number>
}

/** Rules for the objects of one request. */
export interface Rules extends AttributeRules {
  labels: LabelIndex
  range: FrameRange
  /** Filled with every mask that was read; `validation/masks.ts` compares them with their frames. */
  masks: MaskBox[]
  /** Ids that elements and keyframes may keep in an update; absent: ids are ignored. */
  ownIds?: ReadonlySet<number>
  /** Awaited within large objects, to yield to the event loop. */
  pace: Pace
}

type Element = Shape['elements'][number]

const scores: Bounds = { fallback: 1, min: 0, max: 1 }
/** Degrees. */
export const angles: Bounds = { fallback: 0, min: 0, max: 360 }

const noSpecs: SpecSet = { byId: new Map(), defaults: [] }

/** Reads a tag. If problems were reported, the result must not be used. */
export function readTag(report: ValidationReport, fields: JsonFields, rules: Rules): Tag {
  const label = readLabel(report, fields, rules.labels.byId)
  return {
    id: null,
    frame: readFrame(report, fields, rules),
    label_id: label?.id ?? 0,
    group: readGroup(report, fields),
    source: readSource(report, fields),
    attributes: label ? readAttributes(report, fields, label.all, rules) : [],
  }
}

/** Reads a shape with its elements; like `readTag`. */
export function readShape(report: ValidationReport, fields: JsonFields, rules: Rules): Shape {
  const label = readLabel(report, fields, rules.labels.byId)
  const shape = readSingle(report, fields, rules, label)
  const given = readList(report, fields, 'elements') ?? []
  if (shape.type !== 'skeleton') {
    if (given.length > 0) refuseElements(report)
    return shape
  }
  if (given.length === 0) requireElements(report)
  const elements = readEach(report, 'elements', given, (element) =>
    readElement(report, element, { rules, label, frame: shape.frame }),
  )
  return { ...shape, elements }
}

export const requireElements = (report: ValidationReport) =>
  reportProblem(report, 'elements_invalid', 'at least one required for skeleton shape', 'elements')
export const refuseElements = (report: ValidationReport) =>
  reportProblem(report, 'elements_invalid', 'not allowed for non-skeleton shape', 'elements')

interface Parent {
  rules: Rules
  label: LabelRules | undefined
  frame: number
}

function readElement(
  report: ValidationReport,
  fields: JsonFields,
  { rules, label, frame }: Parent,
): Element {
  const own = elementLabel(report, fields, label)
  const { elements: _, ...element } = readSingle(report, fields, rules, own)
  const id = readOwnId(report, fields, rules)
  if (element.type === 'skeleton') {
    reportProblem(report, 'elements_invalid', 'an element cannot be a skeleton', 'type')
  }
  if (readList(report, fields, 'elements')?.length) refuseElements(report)
  if (element.frame !== frame) {
    reportProblem(report, 'invalid', `must be the frame of the skeleton, ${frame}`, 'frame')
  }
  return { ...element, id }
}

/**
 * Reads a shape without its elements. One literal with all members, without spread, so that all objects have the same
 * hidden class.
 */
function readSingle(
  report: ValidationReport,
  fields: JsonFields,
  rules: Rules,
  label: LabelRules | undefined,
): Shape {
  const type = readType(report, fields)
  const frame = readFrame(report, fields, rules)
  return {
    id: null,
    type: type ?? 'rectangle',
    frame,
    label_id: label?.id ?? 0,
    group: readGroup(report, fields),
    source: readSource(report, fields),
    score: readNumber(report, fields, 'score', scores),
    occluded: readFlag(report, fields, 'occluded', false),
    outside: readFlag(report, fields, 'outside', false),
    z_order: readInteger(report, fields, 'z_order', integers),
    rotation: readNumber(report, fields, 'rotation', angles),
    points: type ? readPoints(report, fields, type, frame, rules.masks) : [],
    attributes: label ? readAttributes(report, fields, label.all, rules) : [],
    elements: [],
  }
}

export const readType = (report: ValidationReport, fields: JsonFields) =>
  readWord(report, fields, 'type', shapeTypes)

/** Reads a frame within the target. */
export function readFrame(report: ValidationReport, fields: JsonFields, { range }: Rules): number {
  const before = report.problems.length
  const frame = readInteger(report, fields, 'frame', naturals)
  if (report.problems.length > before) return 0
  if (frame < range.start || frame > range.stop) {
    const text = `frame ${frame} is outside of ${range.start} to ${range.stop}`
    reportProblem(report, 'frame_out_of_range', text, 'frame')
  } else if (range.chosen && !range.chosen.has(frame)) {
    const text = `frame ${frame} is not one of this ground truth job`
    reportProblem(report, 'frame_out_of_range', text, 'frame')
  }
  return frame
}

/** Returns the rules of the label that an object names; undefined after a problem. */
export function readLabel(
  report: ValidationReport,
  fields: JsonFields,
  labels: ReadonlyMap<number, LabelRules>,
): LabelRules | undefined {
  const before = report.problems.length
  const id = readInteger(report, fields, 'label_id', naturals)
  if (report.problems.length > before) return undefined
  const label = labels.get(id)
  if (!label) reportObjectProblem(report, 'label_invalid', `label_id \`${id}\` is invalid`)
  return label
}

/**
 * Reads the label of an element, which is a sublabel of its skeleton's label. If that is unknown, one problem is
 * enough.
 */
export function elementLabel(
  report: ValidationReport,
  fields: JsonFields,
  parent: LabelRules | undefined,
) {
  return parent && readLabel(report, fields, parent.elements)
}

/** Returns the attributes of a label that may be unknown. */
export const specsOf = (label: LabelRules | undefined, kind: 'mutable' | 'immutable') =>
  label?.[kind] ?? noSpecs

/** Reads the id of an element or keyframe. In an update it is kept and must belong to the object. */
export function readOwnId(
  report: ValidationReport,
  fields: JsonFields,
  { ownIds }: Rules,
): number | null {
  const id = readId(report, fields)
  if (!ownIds || id === null) return null
  if (!ownIds.has(id)) reportProblem(report, 'invalid', `${id} is not of this object`, 'id')
  return id
}

/** Reads every object of a list, with its index in the path. */
function readEach<T>(
  report: ValidationReport,
  name: string,
  items: readonly unknown[],
  read: (fields: JsonFields) => T,
): T[] {
  const objects: T[] = []
  report.path.push(name)
  for (const [index, item] of items.entries()) {
    if (isFull(report)) break
    report.path.push(index)
    const fields = readFields(report, item)
    if (fields) objects.push(read(fields))
    report.path.pop()
  }
  report.path.pop()
  return objects
}
