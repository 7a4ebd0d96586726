import { z } from 'zod'
import { shapeTypes, sources } from './annotations.ts'
import { filter, queryFlag } from './common.ts'
import { createFilterSchema, type Expression, type FieldKind } from './json-logic.ts'

/** Query parameters of a GET of an annotation set. See docs/spec/annotations.md#operations. */

/** Range of task-relative frame numbers, both ends included. */
export const frameSpan = z
  .object({ first: z.int().max(2_147_483_647), last: z.int().max(2_147_483_647) })
  .meta({ id: 'FrameSpan' })
export type FrameSpan = z.infer<typeof frameSpan>

/** Fields for `filter`: members of tags, shapes and keyframes, and those that keyframes inherit from their track. */
export const annotationFields = {
  id: 'number', // of 64 bits
  type: 'text',
  frame: 'integer',
  label_id: 'integer',
  group: 'integer',
  source: 'text',
  score: 'number',
  occluded: 'flag',
  outside: 'flag',
  z_order: 'integer',
  rotation: 'number',
} as const satisfies Record<string, FieldKind>
export type AnnotationField = keyof typeof annotationFields
export type AnnotationFilter = Expression<AnnotationField>

/** Largest numbers of frame ranges, after adjacent ones are merged, and of labels in one query. */
export const mostSpans = 10_000
export const mostLabels = 1000

const largest = 2_147_483_647

/** Parses text by a function that returns a value or the reason of the rejection. */
const reading = <T>(read: (text: string) => T | { refused: string }) =>
  z
    .string()
    .default('')
    .transform((text, context): T => {
      const found = read(text)
      if (!isRefusal(found)) return found
      context.addIssue({ code: 'custom', message: found.refused })
      return z.NEVER
    })

function isRefusal(found: unknown): found is { refused: string } {
  return typeof found === 'object' && found !== null && 'refused' in found
}

/** Splits a list; an empty text counts as absent. */
const itemsOf = (text: string) =>
  text.trim() === '' ? [] : text.split(',').map((one) => one.trim())

function readFrames(text: string): FrameSpan[] | { refused: string } {
  const ranges: FrameSpan[] = []
  for (const item of itemsOf(text)) {
    const range = readSpan(item)
    if (!range) {
      return {
        refused: `"${item.slice(0, 100)}" is neither a frame nor a range of frames: "0-99,120" is right.`,
      }
    }
    ranges.push(range)
  }
  const merged = mergeSpans(ranges)
  if (merged.length <= mostSpans) return merged
  return { refused: `Ensure there are no more than ${mostSpans} ranges of frames.` }
}

function readSpan(item: string): FrameSpan | undefined {
  const [, from, to = from] = /^(\d{1,10})(?:\s*-\s*(\d{1,10}))?$/.exec(item) ?? []
  const [first, last] = [Number(from), Number(to)]
  return first <= last && last <= largest ? { first, last } : undefined
}

/** Sorts ranges by frame, and merges those that overlap or are adjacent. */
export function mergeSpans(ranges: readonly FrameSpan[]): FrameSpan[] {
  const merged: FrameSpan[] = []
  for (const { first, last } of ranges.toSorted((a, b) => a.first - b.first)) {
    const before = merged.at(-1)
    if (before && first <= before.last + 1) before.last = Math.max(before.last, last)
    else merged.push({ first, last })
  }
  return merged
}

function readLabels(text: string): number[] | { refused: string } {
  const items = itemsOf(text)
  const wrong = items.find((item) => !/^\d{1,10}$/.test(item) || Number(item) > largest)
  if (wrong !== undefined) {
    return { refused: `"${wrong.slice(0, 100)}" is no id of a label: "40,41" is right.` }
  }
  const ids = [...new Set(items.map(Number))]
  if (ids.length <= mostLabels) return ids
  return { refused: `Ensure there are no more than ${mostLabels} labels.` }
}

/** Parameters that select objects; empty lists select all. */
export const selection = {
  frames: reading(readFrames).pipe(z.array(frameSpan)).meta({
    description:
      'Frames and ranges of frames, inclusive, by commas: 0-99,120. Returns tags and shapes on these frames, and the complete tracks that are visible on at least one of them',
  }),
  label_id: reading(readLabels)
    .pipe(z.array(z.int().max(largest)))
    .meta({
      description:
        'Labels by commas: 40,41. Returns objects of these labels; elements are returned with their skeleton',
    }),
}

export const contentQuery = {
  ...selection,
  filter: filter(
    createFilterSchema(annotationFields).meta({
      description: [
        `JSON Logic over ${Object.keys(annotationFields).join(', ')}; type is one of ${shapeTypes.join(', ')}, source one of ${sources.join(', ')}.`,
        'A field that an object does not have (type, score, occluded, outside, z_order and rotation of a tag, score of a track) is equal only to null.',
        'The expression is applied to each keyframe of a track, with the id, label_id, group and source of the track; the track is returned completely if one keyframe matches.',
        'Rotated boxes: {"and":[{"==":[{"var":"type"},"rectangle"]},{"!=":[{"var":"rotation"},0]}]}',
      ].join(' '),
    }),
  ),
  interpolate: filter(queryFlag).meta({
    description:
      'Yes: the shapes of a track, and of each element, contain its position on every frame of `frames` (by default of the task or job) on which it is visible. Interpolated positions, as in exports, have keyframe false and no id; deleted frames have none. A track that is visible on none of the frames is left out',
  }),
}

/** Parameters of the removed export protocol and of PATCH; a GET with one of them is 410. */
const goneQuery = {
  format: z.string().optional(),
  filename: z.string().optional(),
  action: z.string().optional(),
  location: z.string().optional(),
  cloud_storage_id: z.string().optional(),
}

export const getQuery = z.object({ ...goneQuery, ...contentQuery })
