import { shapeTypes, sources } from '@reticle/contracts/rest/annotations'
import { z } from 'zod'

/**
 * A second, schema-based definition of the validation rules, for the labels of `checking.ts`, a job with frames 0 to
 * 4 and frames of 100 by 80 pixels. Tests compare the fast checks with it.
 */

const most = 2 ** 31 - 1
const last = 4
const frame = z.int().min(0).max(last)
/** Keyframes beyond the job are cut off when the track is visible in the job. */
const anyFrame = z.int().min(0).max(2_147_483_647)
const id = z.int().nullish()

/** Attributes by id, with the values that each accepts. */
const color = { 90: z.enum(['red', 'blue']) }
const parked = { 92: z.string().regex(/^(?:true|false)$/i) }
const make = { 91: z.string() }
const doors = {
  93: z.literal('0').or(
    z
      .string()
      .regex(/^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i)
      .refine((text) => Number(text) >= 2 && Number(text) <= 5),
  ),
}
type Specs = Record<number, z.ZodType>
const immutable: Specs = { ...make, ...doors }
const mutable: Specs = { ...color, ...parked }

const characters = (text: string) => [...text].length
const value = z
  .union([z.number().transform(String), z.boolean().transform(String), z.string()])
  .refine((text) => characters(text) <= 4096 && !/[\0\p{Surrogate}]/u.test(text))

/** Values of some attributes, each at most once. */
const attributesOf = (specs: Specs) =>
  z
    .array(z.object({ spec_id: z.int(), value }))
    .refine((list) => new Set(list.map((one) => one.spec_id)).size === list.length)
    .refine((list) => list.every((one) => specs[one.spec_id]?.safeParse(one.value).success))
    .default([])

const near = z.array(z.number().min(-1e7).max(1e7)).max(200_000)
const even = (least: number) => near.min(least).refine((list) => list.length % 2 === 0)
const mask = z
  .array(z.int().min(0))
  .min(4)
  .refine((list) => {
    const [left = 0, top = 0, right = 0, bottom = 0] = list.slice(-4)
    const runs = list.slice(0, -4)
    const area = (right - left + 1) * (bottom - top + 1)
    const isInside = left <= right && right < 100 && top <= bottom && bottom < 80
    const isCovered = runs.length === 0 || runs.reduce((sum, run) => sum + run, 0) === area
    return isInside && isCovered && !runs.slice(1).includes(0)
  })
const pointsOf: Record<(typeof shapeTypes)[number], z.ZodType> = {
  rectangle: near.length(4),
  ellipse: near.length(4).refine(([, , rx = 0, ry = 0]) => rx >= 0 && ry >= 0),
  cuboid: near.length(16),
  polygon: even(6),
  polyline: even(4),
  points: even(2),
  mask,
  skeleton: near.length(0),
}

const named = {
  id,
  frame,
  group: z.int().min(0).max(most).nullish(),
  source: z.enum(sources).optional(),
}
const place = {
  type: z.enum(shapeTypes),
  points: z.array(z.number()).default([]),
  occluded: z.boolean().default(false),
  outside: z.boolean().default(false),
  z_order: z
    .int()
    .min(-most - 1)
    .max(most)
    .default(0),
  rotation: z.number().min(0).max(360).default(0),
}
const score = z.number().min(0).max(1).optional()
const fits = ({ type, points }: { type: (typeof shapeTypes)[number]; points: number[] }) =>
  pointsOf[type].safeParse(points).success
const none = z.array(z.never()).optional()

const labels = {
  car: { label_id: z.literal(40), all: { ...immutable, ...mutable }, immutable, mutable },
  person: { label_id: z.literal(41), all: {}, immutable: {}, mutable: {} },
  joint: { label_id: z.literal([42, 43]), all: {}, immutable: {}, mutable: {} },
}
type LabelRules = (typeof labels)['car' | 'person' | 'joint']

const ofLabel = <T extends z.ZodType>(make: (label: LabelRules) => T) =>
  z.union([make(labels.car), make(labels.person)])

export const tag = ofLabel(({ label_id, all }) =>
  z.object({ ...named, label_id, attributes: attributesOf(all) }),
)

const element = z
  .object({
    ...named,
    ...place,
    score,
    label_id: labels.joint.label_id,
    attributes: attributesOf({}),
    elements: none,
  })
  .refine(fits)
  .refine(({ type }) => type !== 'skeleton')

const single = (label: LabelRules) =>
  z
    .object({
      ...named,
      ...place,
      score,
      label_id: label.label_id,
      attributes: attributesOf(label.all),
      elements: none,
    })
    .refine(fits)
    .refine(({ type }) => type !== 'skeleton')
const skeleton = z
  .object({
    ...named,
    ...place,
    score,
    label_id: labels.person.label_id,
    attributes: attributesOf({}),
    elements: z.array(element).min(1),
  })
  .refine(fits)
  .refine(
    (one) => one.type === 'skeleton' && one.elements.every((joint) => joint.frame === one.frame),
  )

export const shape = z.union([ofLabel(single), skeleton])

const trackShapes = (label: LabelRules) =>
  z
    .array(
      z
        .object({
          ...place,
          id,
          frame: anyFrame,
          keyframe: z.boolean().default(true),
          attributes: attributesOf(label.mutable),
        })
        .refine(fits),
    )
    .default([])
    .refine((shapes) => new Set(shapes.map(({ type }) => type)).size <= 1)
    .refine(isConsistent)

/** Keyframes on the same frame must be equal; missing attribute values are taken from the previous keyframe. */
function isConsistent(
  shapes: readonly {
    frame: number
    id?: unknown
    attributes: { spec_id: number; value: string }[]
  }[],
): boolean {
  const sorted = [...shapes].sort((a, b) => a.frame - b.frame)
  const contents = new Map<number, string>()
  let values: Record<number, string> = { 90: 'red', 92: 'false' }
  return sorted.every(({ id: _, attributes, ...rest }) => {
    const own = attributes.map(({ spec_id, value: text }) => [spec_id, text.toLowerCase()])
    values = { ...values, ...Object.fromEntries(own) }
    const content = JSON.stringify({ ...rest, points: shortened(rest), values })
    const known = contents.get(rest.frame) ?? content
    contents.set(rest.frame, known)
    return known === content
  })
}

/** A full mask of four numbers equals one of six. */
const shortened = (given: object) => {
  const { type, points = [] } = z
    .object({ type: z.string(), points: z.array(z.number()).optional() })
    .parse(given)
  return type === 'mask' && points.length === 6 && points[0] === 0 ? points.slice(2) : points
}

const part = z
  .object({
    ...{
      ...named,
      frame: anyFrame,
      label_id: labels.joint.label_id,
      attributes: attributesOf({}),
      elements: none,
    },
    shapes: trackShapes(labels.joint),
  })
  .refine(({ shapes }) => shapes.every(({ type }) => type !== 'skeleton'))

const trackOf = (label: LabelRules) =>
  z
    .object({
      ...{
        ...named,
        frame: anyFrame,
        label_id: label.label_id,
        attributes: attributesOf(label.immutable),
      },
      shapes: trackShapes(label),
      elements: label === labels.person ? z.array(part).default([]) : none.transform(() => []),
    })
    .refine(({ shapes, elements }) => {
      const [first] = shapes
      const isSkeleton = elements.some((one) => one.shapes.length > 0)
      return first !== undefined && (first.type === 'skeleton') === isSkeleton
    })

interface Part {
  shapes: { frame: number; outside: boolean }[]
}

/** Within the job, or visible in it; for a skeleton its elements decide. */
function isPlaced({ elements = [], ...own }: Part & { elements?: Part[] | undefined }): boolean {
  const drawn = elements.filter((one) => one.shapes.length > 0)
  const isWithin = [own, ...drawn].every(({ shapes }) => shapes.every((one) => one.frame <= last))
  const seen = (drawn.length > 0 ? drawn : [own]).flatMap((part) => part.shapes)
  return isWithin || seen.some((one) => one.frame <= last && !one.outside)
}

export const track = ofLabel((label) => trackOf(label).refine(isPlaced))
