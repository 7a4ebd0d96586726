import { z } from 'zod'
import { filter, flag, integer, rawText, text } from './common.ts'
import { listFields, listOf } from './lists.ts'

/** Labels and their attributes. See docs/spec/workspace.md#labels. */

export const labelTypes = [
  'any',
  'cuboid',
  'ellipse',
  'mask',
  'points',
  'polygon',
  'polyline',
  'rectangle',
  'skeleton',
  'tag',
] as const
export const inputTypes = ['checkbox', 'radio', 'number', 'text', 'select'] as const

export const attribute = z
  .object({
    id: z.int(),
    name: z.string(),
    mutable: z.boolean(),
    input_type: z.enum(inputTypes),
    default_value: z.string(),
    values: z.array(z.string()),
  })
  .meta({ id: 'Attribute' })

const recordFields = {
  id: z.int(),
  name: z.string(),
  color: z.string(),
  type: z.enum(labelTypes),
  attributes: z.array(attribute),
  has_parent: z.boolean(),
}
export const sublabel = z.object(recordFields).meta({ id: 'Sublabel' })

export const label = z
  .object({
    ...recordFields,
    sublabels: z.array(sublabel),
    /** Drawing of a skeleton; absent on other types. */
    svg: z.string().optional(),
    /** Exactly one of the two ids is present. */
    project_id: z.int().optional(),
    task_id: z.int().optional(),
    parent_id: z.int().nullable(),
  })
  .meta({ id: 'Label' })

const attributeWrite = z
  .object({
    id: integer.optional(),
    name: text(64, 1).optional(),
    mutable: flag.optional(),
    input_type: z.enum(inputTypes).optional(),
    default_value: text(128).optional(),
    values: z.array(text(200)).optional(),
    deleted: flag.optional(),
  })
  .meta({ id: 'AttributeWrite' })

const labelWriteFields = {
  id: integer.optional(),
  name: text(64, 1).optional(),
  color: text(32).optional(),
  type: z.enum(labelTypes).optional(),
  attributes: z.array(attributeWrite).optional(),
  deleted: flag.optional(),
}
const sublabelWrite = z.object(labelWriteFields).meta({ id: 'SublabelWrite' })

/**
 * Item of `labels` in a POST or PATCH of the owner: without an id it
 * creates a label, with one it changes or deletes that label.
 */
export const labelWrite = z
  .object({
    ...labelWriteFields,
    svg: rawText(512 * 1024).optional(),
    sublabels: z.array(sublabelWrite).optional(),
  })
  .meta({ id: 'LabelWrite' })

export const labelPatch = labelWrite.omit({ id: true }).meta({ id: 'LabelPatch' })

/** Fields of the list of labels. */
export const labelFields = listFields({
  equal: {
    id: 'integer',
    name: 'text',
    type: labelTypes,
    color: 'text',
    parent: 'text',
    parent_id: 'integer',
  },
  more: {},
  search: ['name', 'parent'],
  order: 'id',
})
/** Query of the list of labels, which may also name an owner. */
export const labelList = listOf(labelFields).extend({
  project_id: filter(integer),
  task_id: filter(integer),
  job_id: filter(integer),
})

export type Attribute = z.infer<typeof attribute>
export type Label = z.infer<typeof label>
export type Sublabel = z.infer<typeof sublabel>
export type LabelWrite = z.infer<typeof labelWrite>
export type AttributeWrite = z.infer<typeof attributeWrite>
