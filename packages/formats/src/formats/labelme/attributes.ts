/** Reads and writes the attributes of a LabelMe object, which are one text: `name=value, name=value`. */

export type AttributeText = readonly [name: string, value: string | number | boolean]

/** Formats attributes. Texts that would be read as numbers or would lose blanks are quoted. */
export function writeAttributes(values: Iterable<AttributeText>): string {
  return [...values].map(([name, value]) => `${escaped(name)}=${valueText(value)}`).join(', ')
}

/**
 * Parses pairs of name and value. A word without a value is true, and so is `True` for attributes of a type other
 * than text. A quoted text is not read as a number.
 */
export function readAttributes(text: string): [name: string, value: string | number | boolean][] {
  return [...text.matchAll(pair)].flatMap(([, left = '', right]) => {
    const name = unescaped(left.trim())
    if (name === '') return []
    return [[name, right === undefined ? true : readValue(right.trim())]]
  })
}

const escaped = (text: string): string => text.replace(/[\\=",]/g, '\\$&')
const unescaped = (text: string): string => text.replace(/\\(.)/gs, '$1')

function valueText(value: string | number | boolean): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'number') return String(value)
  const needsQuotes = isNumber(value) || value !== value.trim()
  return needsQuotes ? `"${escaped(value)}"` : escaped(value)
}

const isNumber = (text: string): boolean => text.trim() !== '' && Number.isFinite(Number(text))

/**
 * A name up to `=`, then a quoted text or any text up to a comma. The alternatives begin with different characters,
 * so that matching takes linear time.
 */
const pair =
  /((?:\\.|\\$|[^\\,=])*)(?:=(\s*"(?:\\.|[^\\"])*"\s*(?=,|$)|(?:\\.|\\$|[^\\,])*))?(?:,|$)/gs

function readValue(text: string): string | number | boolean {
  const quoted = /^"(.*)"$/s.exec(text)?.[1]
  if (quoted !== undefined) return unescaped(quoted)
  if (text === 'True' || text === 'False') return text === 'True'
  return isNumber(text) ? Number(text) : unescaped(text)
}
