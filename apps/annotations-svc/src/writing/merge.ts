import type { Checked } from '../reading/objects.ts'
import { isFields, type JsonFields } from '../validation/fields.ts'
import { least } from '../validation/normalize.ts'
import { reportProblem, type ValidationReport } from '../validation/report.ts'

/** A stored object with the members of a PATCH applied, to be validated as a whole. */
export interface Merged {
  fields: JsonFields
  /** Ids of its elements and keyframes; a sent part with such an id keeps it. */
  ownIds: ReadonlySet<number>
  /** Whether attribute values were sent; stored values are not checked again. */
  hasValues: boolean
}

const replaceable = new Set([
  'frame',
  'label_id',
  'group',
  'source',
  'attributes',
  'type',
  'score',
  'occluded',
  'outside',
  'z_order',
  'rotation',
  'points',
  'elements',
  'shapes',
])

/** Replaces an object as a whole: members that were not sent get their defaults. */
export const replaceObject = (whole: Checked, sent: JsonFields): Merged => ({
  fields: Object.fromEntries(replacing(sent)),
  ownIds: idsIn(whole),
  hasValues: true,
})

const replacing = (sent: JsonFields) =>
  Object.entries(sent).filter(([name]) => replaceable.has(name))

/**
 * Applies a PATCH: lists are replaced as a whole, and members that were not sent stay. A new label drops the
 * attribute values.
 *
 * @param whole stored object, completed
 */
export function mergeObject(whole: Checked, sent: JsonFields): Merged {
  const { label_id } = whole.object
  const isRelabelled = sent.label_id !== undefined && sent.label_id !== label_id
  const before = isRelabelled ? withoutValues(whole) : whole.object
  const given = replacing(sent)
  const hasValues = given.some(([name]) => ['attributes', 'elements', 'shapes'].includes(name))
  const fields = { ...before, ...startOf(sent), ...Object.fromEntries(given) }
  return { fields, ownIds: idsIn(whole), hasValues }
}

/** A track whose shapes are replaced begins with the first of them unless the body contains an earlier frame. */
function startOf({ shapes }: JsonFields): JsonFields {
  if (!Array.isArray(shapes)) return {}
  const frames = shapes.flatMap((one) =>
    isFields(one) && typeof one.frame === 'number' ? [one.frame] : [],
  )
  return frames.length > 0 ? { frame: least(frames) } : {}
}

function withoutValues({ kind, object }: Checked): JsonFields {
  if (kind !== 'track') return { ...object, attributes: [] }
  const shapes = object.shapes.map((one) => ({ ...one, attributes: [] }))
  return { ...object, attributes: [], shapes }
}

/**
 * Reports ids that two parts share. Parts are identified by id, and pieces of a cut track are joined by the ids of
 * their parts.
 */
export function refuseSharedIds(report: ValidationReport, whole: Checked): void {
  const seen = new Set<number>()
  for (const { id } of partsOf(whole)) {
    if (id && seen.has(id)) reportProblem(report, 'invalid', `${id} is given to two parts`, 'id')
    if (id) seen.add(id)
  }
}

const idsIn = (whole: Checked) => new Set(partsOf(whole).flatMap((one) => one.id ?? []))

function partsOf({ kind, object }: Checked): readonly { id?: number | null }[] {
  if (kind === 'tag') return []
  if (kind === 'shape') return object.elements
  const { shapes, elements } = object
  return [...elements, ...shapes, ...elements.flatMap((one) => one.shapes)]
}
