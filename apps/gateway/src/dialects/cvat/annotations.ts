import { bytes as bytesSchema } from '@reticle/contracts/rest/common'
import {
  isFields,
  type RecordFields,
  type Translation,
  type Translations,
} from '../../call/dialect.ts'
import { type Rewrite, rewriteShapes } from './rewrite.ts'

/**
 * Translates streamed annotation sets. In CVAT an ellipse is stored as centre, right x and top y, here as centre and
 * radii; all track shapes of CVAT are keyframes and lack the field `keyframe`.
 */

/** Translates a request body, in which words may be escaped. A field `keyframe` keeps its meaning. */
const fromEllipses: Rewrite = {
  concerns: (bytes) => bytes.includes('ellipse') || bytes.includes('\\'),
  change(object) {
    const shape = fromEllipses.concerns(object) ? parsed(object) : undefined
    return shape && hasEllipse(shape) ? JSON.stringify(withEllipses(shape, toRadii)) : undefined
  },
}

/** Translates a response. */
const toEllipses: Rewrite = {
  concerns: (bytes) => bytes.includes('"ellipse"') || bytes.includes('"keyframe"'),
  change(object) {
    if (!toEllipses.concerns(object)) return undefined
    const { keyframe, ...shape } = parsed(object) ?? {}
    return keyframe === false ? null : JSON.stringify(withEllipses(shape, toCorner))
  },
}

function parsed(object: Buffer): RecordFields | undefined {
  try {
    const value: unknown = JSON.parse(object.toString())
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isEllipse = ({ type, points }: RecordFields): boolean => type === 'ellipse' && isFour(points)

function isFour(points: unknown): points is [number, number, number, number] {
  return (
    Array.isArray(points) && points.length === 4 && points.every((one) => typeof one === 'number')
  )
}

/** Members of a shape that contain shapes; `before` and `after` occur in the difference of two sets. */
const inside = ['elements', 'before', 'after'] as const

const partsOf = (shape: RecordFields): RecordFields[] =>
  inside.flatMap((name) => [shape[name]].flat().filter(isFields))

const hasEllipse = (shape: RecordFields): boolean =>
  isEllipse(shape) || partsOf(shape).some(hasEllipse)

type Points = (points: readonly [number, number, number, number]) => number[]

function withEllipses(shape: RecordFields, change: Points): RecordFields {
  const changed: RecordFields = { ...shape }
  for (const name of inside) if (name in shape) changed[name] = changedPart(shape[name], change)
  const { points } = shape
  return isEllipse(shape) && isFour(points) ? { ...changed, points: change(points) } : changed
}

function changedPart(part: unknown, change: Points): unknown {
  if (Array.isArray(part)) return part.map((one) => changedPart(one, change))
  return isFields(part) ? withEllipses(part, change) : part
}

const digits = 1e9

/**
 * Returns a radius without the rounding error of the addition; it does not depend on the corner from which the
 * ellipse was drawn.
 */
const radius = (from: number, to: number) => Math.round(Math.abs(to - from) * digits) / digits

const toRadii: Points = ([x, y, right, top]) => [x, y, radius(x, right), radius(y, top)]
const toCorner: Points = ([x, y, rx, ry]) => [x, y, x + rx, y - ry]

const answered: Translation = { bytes: (pieces) => rewriteShapes(pieces, toEllipses) }
const sent: Translation = {
  ...answered,
  input: ({ body, ...input }) => ({
    ...input,
    body: rewriteShapes(bytesSchema.parse(body), fromEllipses),
  }),
}

/** An update replaces whole objects, and creates objects without an id. */
const updated: Translation = {
  ...sent,
  input: (input) => ({ ...sent.input?.(input), is_whole: true }),
}

export const annotations: Translations = {
  getTaskAnnotations: answered,
  replaceTaskAnnotations: sent,
  updateTaskAnnotations: updated,
  getJobAnnotations: answered,
  replaceJobAnnotations: sent,
  updateJobAnnotations: updated,
  getJobRevision: answered,
  getJobAnnotationsDiff: answered,
  restoreJobRevision: answered,
}
