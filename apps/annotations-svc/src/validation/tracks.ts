import type { Track, TrackShape } from '@reticle/contracts/rest/annotations'
import { readAttributes } from './attributes.ts'
import {
  integers,
  isFields,
  type JsonFields,
  naturals,
  readFields,
  readFlag,
  readGroup,
  readInteger,
  readList,
  readNumber,
  readSource,
} from './fields.ts'
import type { LabelRules } from './labels.ts'
import { normalizeTrack } from './normalize.ts'
import { readPoints } from './points.ts'
import { isFull, reportProblem, type ValidationReport } from './report.ts'
import {
  angles,
  elementLabel,
  type Rules,
  readFrame,
  readLabel,
  readOwnId,
  readType,
  refuseElements,
  requireElements,
  specsOf,
} from './shapes.ts'
import { firstSeen, isWithin } from './visible.ts'

type TrackElement = Track['elements'][number]

/** Small, because shapes may be large. */
const shapesPerPause = 16

/** Reads a track; like `readTag`, and yields to the event loop. */
export async function readTrack(
  report: ValidationReport,
  fields: JsonFields,
  rules: Rules,
): Promise<Track> {
  const before = report.problems.length
  const label = readLabel(report, fields, rules.labels.byId)
  const track = await readOne(report, fields, rules, label)
  const elements = await readElements(report, fields, rules, label)
  if (report.problems.length === before) checkWhole(report, { ...track, elements })
  if (report.problems.length > before) return { ...track, elements }
  const whole = normalizeTrack({ ...track, elements })
  checkPlace(report, whole, rules)
  return whole
}

/** Keyframes outside the target are cut off when the track is stored, if the rest is visible. */
function checkPlace(
  report: ValidationReport,
  track: Track,
  { range: { start, stop } }: Rules,
): void {
  if (isWithin(track, start, stop) || firstSeen(track, start, stop) !== undefined) return
  const text = `it is on frames outside of ${start} to ${stop}, and never visible within`
  reportProblem(report, 'frame_out_of_range', text, 'frame')
}

/** A track may begin on any frame, but in a ground-truth job only on its frames. */
function readTrackFrame(report: ValidationReport, fields: JsonFields, rules: Rules): number {
  return rules.range.chosen
    ? readFrame(report, fields, rules)
    : readInteger(report, fields, 'frame', naturals)
}

function checkWhole(report: ValidationReport, { shapes, elements }: Track): void {
  const [first] = shapes
  if (!first) {
    reportProblem(report, 'track_invalid', 'at least one shape required', 'shapes')
    return
  }
  checkTypes(report, shapes)
  if (first.type !== 'skeleton' && elements.length > 0) refuseElements(report)
  if (first.type === 'skeleton' && elements.length === 0) requireElements(report)
}

function checkTypes(report: ValidationReport, shapes: readonly TrackShape[]): void {
  const types = new Set(shapes.map((one) => one.type))
  if (types.size <= 1) return
  const text = `all shapes of a track must have one type, not ${[...types].join(', ')}`
  reportProblem(report, 'track_invalid', text, 'shapes')
}

/** Elements without shapes are left out. */
async function readElements(
  report: ValidationReport,
  fields: JsonFields,
  rules: Rules,
  parent: LabelRules | undefined,
): Promise<TrackElement[]> {
  const elements: TrackElement[] = []
  const given = readList(report, fields, 'elements') ?? []
  report.path.push('elements')
  for (const [index, item] of given.entries()) {
    if (isFull(report)) break
    await rules.pace()
    report.path.push(index)
    const one = readFields(report, item)
    const element = one && (await readElement(report, one, rules, parent))
    if (element && element.shapes.length > 0) elements.push(element)
    report.path.pop()
  }
  report.path.pop()
  return elements
}

async function readElement(
  report: ValidationReport,
  fields: JsonFields,
  rules: Rules,
  parent: LabelRules | undefined,
): Promise<TrackElement> {
  const element = await readOne(report, fields, rules, elementLabel(report, fields, parent))
  const id = readOwnId(report, fields, rules)
  if (readList(report, fields, 'elements')?.length) refuseElements(report)
  if (element.shapes.some((one) => one.type === 'skeleton')) {
    reportProblem(report, 'elements_invalid', 'an element cannot be a skeleton', 'shapes')
  }
  checkTypes(report, element.shapes)
  return { ...element, id }
}

async function readOne(
  report: ValidationReport,
  fields: JsonFields,
  rules: Rules,
  label: LabelRules | undefined,
): Promise<TrackElement> {
  return {
    id: null,
    frame: readTrackFrame(report, fields, rules),
    label_id: label?.id ?? 0,
    group: readGroup(report, fields),
    source: readSource(report, fields),
    attributes: label ? readAttributes(report, fields, label.immutable, rules) : [],
    shapes: await readShapes(report, fields, rules, label),
  }
}

/**
 * Reads shapes by frame, so that each takes over the values of the previous one; problems keep the order of the body.
 */
async function readShapes(
  report: ValidationReport,
  fields: JsonFields,
  rules: Rules,
  label: LabelRules | undefined,
): Promise<TrackShape[]> {
  const given = [...(readList(report, fields, 'shapes') ?? []).entries()]
  const sorted = given.sort(([, a], [, b]) => frameOf(a) - frameOf(b))
  const kept: TrackShape[] = []
  report.path.push('shapes')
  for (const [place, [index, item]] of sorted.entries()) {
    if (isFull(report)) break
    if (place % shapesPerPause === shapesPerPause - 1) await rules.pace()
    report.path.push(index)
    const one = readFields(report, item)
    if (one) addShape(report, kept, readTrackShape(report, one, rules, label, kept.at(-1)))
    report.path.pop()
  }
  report.path.pop()
  return kept
}

const frameOf = (item: unknown) =>
  isFields(item) && typeof item.frame === 'number' ? item.frame : 0

/** Keeps equal shapes of a frame once; different shapes of a frame are an error. */
function addShape(report: ValidationReport, kept: TrackShape[], shape: TrackShape): void {
  const last = kept.at(-1)
  if (last?.frame !== shape.frame) {
    kept.push(shape)
  } else if (contentOf(last) !== contentOf(shape)) {
    const text = `another shape stands on frame ${shape.frame}`
    reportProblem(report, 'duplicate_keyframe', text, 'frame')
  }
}

const contentOf = (shape: TrackShape) => JSON.stringify({ ...shape, id: null })

function readTrackShape(
  report: ValidationReport,
  fields: JsonFields,
  rules: Rules,
  label: LabelRules | undefined,
  before: TrackShape | undefined,
): TrackShape {
  const type = readType(report, fields)
  const frame = readTrackFrame(report, fields, rules)
  const specs = specsOf(label, 'mutable')
  const inherited = before?.attributes ?? specs.defaults
  return {
    id: readOwnId(report, fields, rules),
    type: type ?? 'rectangle',
    frame,
    keyframe: readFlag(report, fields, 'keyframe', true),
    occluded: readFlag(report, fields, 'occluded', false),
    outside: readFlag(report, fields, 'outside', false),
    z_order: readInteger(report, fields, 'z_order', integers),
    rotation: readNumber(report, fields, 'rotation', angles),
    points: type ? readPoints(report, fields, type, frame, rules.masks) : [],
    attributes: label ? readAttributes(report, fields, specs, rules, inherited) : [],
  }
}
