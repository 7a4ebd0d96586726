import type { AttributeWrite } from '@reticle/contracts/rest/labels'
import { notFound } from '@reticle/kit/call/errors'
import { fieldError, missingField, type Path } from '../bodies/field-error.ts'
import type { AttributeDraft } from './draft.ts'

const longestValues = 4096

export interface AttributesPlan {
  attributes: AttributeDraft[]
  /** Removed attributes, whose stored values are deleted. */
  removed: number[]
}

/**
 * Plans the attributes of one label: an item with the id or name of an existing attribute changes it, any other item
 * is new, `deleted` removes; attributes that are not listed stay.
 *
 * @throws DomainError invalid naming item and field, not_found for an unknown id
 */
export function planAttributes(
  current: readonly AttributeDraft[],
  items: readonly AttributeWrite[],
  at: Path,
): AttributesPlan {
  const kept = new Map(current.map((one) => [one.id, one]))
  const idOf = new Map(current.map((one) => [one.name, one.id]))
  const added: AttributeDraft[] = []
  const removed: number[] = []
  items.forEach((item, index) => {
    const place = [...at, index]
    const known = findKnown(kept, idOf, item, place)
    if (!known) {
      added.push(newAttribute(item, place))
      return
    }
    const isRenamed = item.deleted || (item.name ?? known.name) !== known.name
    if (isRenamed && idOf.get(known.name) === known.id) idOf.delete(known.name)
    if (item.deleted && known.id !== null) {
      removed.push(known.id)
      kept.delete(known.id)
      return
    }
    const attribute = changed(known, item, place)
    kept.set(known.id, attribute)
    idOf.set(attribute.name, known.id)
  })
  const attributes = [...kept.values(), ...added]
  checkNames(attributes, at)
  return { attributes, removed }
}

function findKnown(
  kept: ReadonlyMap<number | null, AttributeDraft>,
  idOf: ReadonlyMap<string, number | null>,
  { id, name, deleted }: AttributeWrite,
  place: Path,
): AttributeDraft | undefined {
  if (id === undefined) {
    if (deleted)
      throw fieldError([...place, 'deleted'], 'Only an attribute with id can be deleted.')
    const named = idOf.get(name ?? '')
    return named === undefined ? undefined : kept.get(named)
  }
  const known = kept.get(id)
  if (!known) throw notFound(`Not found attribute with id #${id} to change`)
  return known
}

function newAttribute(item: AttributeWrite, place: Path): AttributeDraft {
  const { name, mutable, input_type, values, default_value = '' } = item
  if (name === undefined) throw missingField([...place, 'name'])
  if (mutable === undefined) throw missingField([...place, 'mutable'])
  if (input_type === undefined) throw missingField([...place, 'input_type'])
  if (values === undefined) throw missingField([...place, 'values'])
  checkLength(values, [...place, 'values'])
  return checked({ id: null, name, mutable, input_type, values, default_value }, place)
}

function changed(known: AttributeDraft, item: AttributeWrite, place: Path): AttributeDraft {
  for (const key of ['mutable', 'input_type'] as const) {
    if (item[key] !== undefined && item[key] !== known[key])
      throw fieldError([...place, key], 'This field cannot be changed.')
  }
  const values = item.values ?? known.values
  checkLength(values, [...place, 'values'])
  checkGrowth(known, values, [...place, 'values'])
  const { name = known.name, default_value = known.default_value } = item
  return checked({ ...known, name, values, default_value }, place)
}

function checkGrowth({ input_type, values }: AttributeDraft, wanted: string[], place: Path) {
  if (input_type === 'number' && wanted.join('\n') !== values.join('\n'))
    throw fieldError(place, 'The range of a number cannot be changed.')
  if (input_type !== 'select' && input_type !== 'radio') return
  const lost = values.find((one) => !wanted.includes(one))
  if (lost !== undefined)
    throw fieldError(place, `Options can only be added: "${lost}" is missing.`)
}

/** Checked first, because later checks compare every value with every other. */
function checkLength(values: readonly string[], place: Path) {
  if (values.join('\n').length > longestValues)
    throw fieldError(
      place,
      `Ensure the values have no more than ${longestValues} characters together.`,
    )
}

/** Returns the attribute with a completed default, after checking values and default against its type. */
function checked(draft: AttributeDraft, place: Path): AttributeDraft {
  const wrong = wrongValues(draft)
  if (wrong) throw fieldError([...place, 'values'], wrong)
  const attribute = { ...draft, default_value: draft.default_value || firstValue(draft) }
  if (attribute.default_value !== '' && !isValid(attribute.default_value, attribute))
    throw fieldError(
      [...place, 'default_value'],
      `"${attribute.default_value}" is no value of this attribute.`,
    )
  return attribute
}

function wrongValues({ input_type, values }: AttributeDraft): string | undefined {
  if (input_type === 'number') return isRange(values) ? undefined : rangeText
  if (input_type !== 'select' && input_type !== 'radio') return undefined
  if (values.length === 0) return 'At least one option is required.'
  const twice = values.find((one, index) => values.indexOf(one) !== index)
  return twice === undefined ? undefined : `The option "${twice}" is listed twice.`
}

const rangeText =
  'A number needs three values: minimum, maximum, step; minimum <= maximum, step > 0.'

function isRange(values: readonly string[]): boolean {
  const [min = Number.NaN, max = Number.NaN, step = Number.NaN] = values.map(toNumber)
  return values.length === 3 && min <= max && step > 0
}

const numberText = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d{1,3})?$/i
/** Limit in characters; the largest number without an exponent has 309 digits. */
const longestNumber = 400
const toNumber = (text: string) =>
  text.length <= longestNumber && numberText.test(text) ? Number(text) : Number.NaN

function firstValue({ input_type, values }: AttributeDraft): string {
  if (input_type === 'text') return ''
  return input_type === 'checkbox' ? 'false' : (values[0] ?? '')
}

function isValid(value: string, { input_type, values }: AttributeDraft): boolean {
  switch (input_type) {
    case 'text':
      return true
    case 'checkbox':
      return /^(true|false)$/i.test(value)
    case 'number':
      return toNumber(value) >= Number(values[0]) && toNumber(value) <= Number(values[1])
    default:
      return values.includes(value)
  }
}

function checkNames(attributes: readonly AttributeDraft[], at: Path) {
  const names = new Set(attributes.map((one) => one.name))
  if (names.size !== attributes.length)
    throw fieldError(at, 'All attribute names of a label must be unique.')
}
