import { type JsonFields, readFields, readInteger, readList } from './fields.ts'
import type { Spec, SpecSet, SpecValue } from './labels.ts'
import { isFull, reportObjectProblem, reportProblem, type ValidationReport } from './report.ts'

/** Length in characters, not UTF-16 units. */
export const longestValue = 4096

/** Options of reading values. */
export interface AttributeRules {
  /** Whether values are checked against the type of their attribute (`RETICLE_ANNOTATIONS_STRICT_ATTRIBUTES`). */
  isStrict: boolean
}

/**
 * Reads the attribute values of one object: one for each of `specs`, in the order of the label. Missing values come
 * from `missing`, which has the same order.
 */
export function readAttributes(
  report: ValidationReport,
  fields: JsonFields,
  specs: SpecSet,
  { isStrict }: AttributeRules,
  missing: SpecValue[] = specs.defaults,
): SpecValue[] {
  const items = readList(report, fields, 'attributes') ?? []
  if (items.length === 0) return missing
  const given = new Map<number, string>()
  report.path.push('attributes')
  for (const [index, item] of items.entries()) {
    if (isFull(report)) break
    report.path.push(index)
    readValue(report, item, specs, given, isStrict)
    report.path.pop()
  }
  report.path.pop()
  return missing.map(({ spec_id, value }) => ({ spec_id, value: given.get(spec_id) ?? value }))
}

function readValue(
  report: ValidationReport,
  item: unknown,
  specs: SpecSet,
  given: Map<number, string>,
  isStrict: boolean,
): void {
  const fields = readFields(report, item)
  const spec = fields && readSpec(report, fields, specs)
  if (!fields || !spec) return
  if (given.has(spec.id)) {
    const text = `spec_id ${spec.id} is given twice`
    reportProblem(report, 'duplicate_attribute', text, 'spec_id')
  }
  const value = readText(report, fields.value)
  if (value === undefined) return
  const stored = spec.isCheckbox ? lowered(value) : value
  given.set(spec.id, stored)
  if (isStrict) check(report, spec, stored)
}

function readSpec(report: ValidationReport, fields: JsonFields, specs: SpecSet): Spec | undefined {
  const before = report.problems.length
  const id = readInteger(report, fields, 'spec_id')
  if (report.problems.length > before) return undefined
  const spec = specs.byId.get(id)
  if (!spec) reportObjectProblem(report, 'attribute_invalid', `spec_id \`${id}\` is invalid`)
  return spec
}

function check(report: ValidationReport, spec: Spec, value: string): void {
  if (spec.accepts(value)) return
  const text = `"${value.slice(0, 100)}" is not allowed for spec_id ${spec.id}`
  reportProblem(report, 'attribute_value_invalid', text, 'value')
}

/** Stores checkbox values in lower case; other values are unchanged. */
function lowered(value: string): string {
  const lower = value.toLowerCase()
  return lower === 'true' || lower === 'false' ? lower : value
}

/** A character has at most two UTF-16 units. */
const isTooLong = (value: string) =>
  value.length > 2 * longestValue ||
  (value.length > longestValue && [...value].length > longestValue)

const unusable = /[\0\p{Surrogate}]/u

/** Converts numbers to their shortest text, and booleans to `true` or `false`. */
function readText(report: ValidationReport, value: unknown): string | undefined {
  if (value === undefined) {
    reportProblem(report, 'required', 'This field is required.', 'value')
    return undefined
  }
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') {
    const text = value === null ? 'This field may not be null.' : 'Not a valid string.'
    reportProblem(report, 'invalid', text, 'value')
    return undefined
  }
  if (isTooLong(value)) {
    const text = `Ensure this field has no more than ${longestValue} characters.`
    reportProblem(report, 'invalid', text, 'value')
    return undefined
  }
  if (unusable.test(value)) {
    const text = 'Null characters and unpaired surrogates are not allowed.'
    reportProblem(report, 'invalid', text, 'value')
  }
  return value
}
