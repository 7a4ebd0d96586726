import { z } from 'zod'

/**
 * Shapes of annotation sets, for documentation and tests. Bodies pass through as bytes, and are validated once, by the
 * streaming parser of annotations-svc. See docs/spec/annotations.md#annotation-sets.
 */

export const shapeTypes = [
  'rectangle',
  'polygon',
  'polyline',
  'points',
  'ellipse',
  'cuboid',
  'mask',
  'skeleton',
] as const
export const sources = ['manual', 'auto', 'semi-auto', 'file', 'consensus'] as const

const id = z.int().nullable().optional()
const group = z.int().min(0).max(2_147_483_647).nullable().default(0)
const source = z.enum(sources).default('manual')
const attributes = z.array(z.object({ spec_id: z.int(), value: z.string().max(4096) })).default([])

const place = {
  occluded: z.boolean().default(false),
  outside: z.boolean().default(false),
  z_order: z.int().default(0),
  rotation: z.number().min(0).max(360).default(0),
  points: z.array(z.number()).default([]),
  attributes,
}
const named = { id, frame: z.int().min(0), label_id: z.int().min(0), group, source }

/**
 * Builds the read schemas, and the write schemas under separate names, in which members with a default are optional.
 */
function shapesOf(suffix: '' | 'Write') {
  const id = (name: string) => ({ id: `${name}${suffix}` })
  const tag = z.object({ ...named, attributes }).meta(id('Tag'))
  const element = z
    .object({
      ...named,
      type: z.enum(shapeTypes),
      score: z.number().min(0).max(1).default(1),
      ...place,
    })
    .meta(id('ShapeElement'))
  const shape = element.extend({ elements: z.array(element).default([]) }).meta(id('Shape'))
  const trackShape = z
    .object({
      id: named.id,
      type: z.enum(shapeTypes),
      frame: z.int().min(0),
      keyframe: z.boolean().default(true),
      ...place,
    })
    .meta(id('TrackShape'))
  const trackElement = z
    .object({ ...named, attributes, shapes: z.array(trackShape) })
    .meta(id('TrackElement'))
  const track = trackElement
    .extend({ elements: z.array(trackElement).default([]) })
    .meta(id('Track'))
  const annotationSet = setOf(tag, shape, track).meta(id('AnnotationSet'))
  return { tag, shape, trackShape, track, annotationSet }
}

const setOf = <T extends z.ZodType, S extends z.ZodType, K extends z.ZodType>(
  tag: T,
  shape: S,
  track: K,
) =>
  z.object({
    version: z.int().default(0),
    tags: z.array(tag).default([]),
    shapes: z.array(shape).default([]),
    tracks: z.array(track).default([]),
  })

export const { tag, shape, trackShape, track, annotationSet } = shapesOf('')
const written = shapesOf('Write')
export const annotationSetWrite = written.annotationSet

/** Annotations of a PATCH: `create` needs complete objects, `update` ids and changed members, `delete` ids. */
export const annotationSetPatch = setOf(
  written.tag.partial().meta({ id: 'TagPatch' }),
  written.shape.partial().meta({ id: 'ShapePatch' }),
  written.track.partial().meta({ id: 'TrackPatch' }),
).meta({ id: 'AnnotationSetPatch' })

/** `action` is required, but validated by the service, whose message clients know. */
export const patchQuery = z.object({ action: z.string().optional() })
export const putQuery = z.object({ format: z.string().optional(), rq_id: z.string().optional() })
export type AnnotationSet = z.infer<typeof annotationSet>
export type Shape = z.infer<typeof shape>
export type Tag = z.infer<typeof tag>
export type Track = z.infer<typeof track>
export type TrackShape = z.infer<typeof trackShape>
