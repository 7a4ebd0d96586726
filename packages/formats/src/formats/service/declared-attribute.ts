/** Converts attributes declared in `<meta>` to valid attributes of a project. */
import type { FileAttribute } from '../../model/file-labels.ts'
import { longestNumber } from '../../text/numbers.ts'

interface Declared {
  name: string
  mutable: boolean
  input_type: string
  /** One value per line; other tools separate values by blanks. */
  values: string
  default_value: string
}

/**
 * Returns a valid attribute. If its values do not fit its type, it becomes a text attribute, which accepts any value.
 */
export function declaredAttribute({ name, mutable, ...given }: Declared): FileAttribute {
  const type = typeOf(given.input_type.trim())
  const values = valuesOf(type, given)
  const input_type = isPossible(type, values) ? type : 'text'
  const attribute = { name, mutable, input_type, values }
  const default_value =
    input_type === 'checkbox' ? given.default_value.toLowerCase() : given.default_value
  return isValue(default_value, attribute) ? { ...attribute, default_value } : attribute
}

type InputType = FileAttribute['input_type']

const types: readonly InputType[] = ['checkbox', 'radio', 'number', 'text', 'select']

const typeOf = (text: string): InputType => types.find((one) => one === text) ?? 'text'

function valuesOf(
  type: InputType,
  { values, default_value }: Pick<Declared, 'values' | 'default_value'>,
): string[] {
  if (values === '') return []
  const lines = [...new Set(values.split('\n'))]
  const words = [...new Set(values.split(/\s+/))]
  const isChoice = type === 'select' || type === 'radio'
  const areWords = isChoice && !lines.includes(default_value) && words.includes(default_value)
  // Minimum and maximum of a number may be equal.
  if (type === 'number') return values.split('\n')
  return areWords ? words : lines
}

function isPossible(type: InputType, values: readonly string[]): boolean {
  if (type === 'select' || type === 'radio') return values.length > 0
  if (type !== 'number') return true
  const [min = Number.NaN, max = Number.NaN, step = Number.NaN] = values.map(numberOf)
  return values.length === 3 && min <= max && step > 0
}

function isValue(value: string, { input_type, values }: FileAttribute): boolean {
  switch (input_type) {
    case 'text':
      return true
    case 'checkbox':
      return value === 'true' || value === 'false'
    case 'number':
      return (
        numberOf(value) >= numberOf(values[0] ?? '') && numberOf(value) <= numberOf(values[1] ?? '')
      )
    default:
      return values.includes(value)
  }
}

const numberText = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d{1,3})?$/i
const numberOf = (text: string): number =>
  text.length <= longestNumber && numberText.test(text) ? Number(text) : Number.NaN
