/** The attributes of a LabelMe object, which are one text: `name=value, name=value` (spec/formats.md 12). */

export type AttributeText = readonly [name: string, value: string | number | boolean]

/** Texts that would read as numbers, or lose their blanks, stand in quotes. */
export function writeAttributes(values: Iterable<AttributeText>): string {
  return [...values].map(([name, value]) => `${escaped(name)}=${valueText(value)}`).join(', ')
}

/**
 * Pairs of a text; a word that stands alone is true, and so is a value `True` for attributes that know no texts.
 * Texts in quotes are told from numbers.
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
 * A name up to `=`, then a text in quotes or anything, up to a comma. Each alternative begins with another character, so that no
 * text takes long.
 */
const pair =
  /((?:\\.|\\$|[^\\,=])*)(?:=(\s*"(?:\\.|[^\\"])*"\s*(?=,|$)|(?:\\.|\\$|[^\\,])*))?(?:,|$)/gs

function readValue(text: string): string | number | boolean {
  const quoted = /^"(.*)"$/s.exec(text)?.[1]
  if (quoted !== undefined) return unescaped(quoted)
  if (text === 'True' || text === 'False') return text === 'True'
  return isNumber(text) ? Number(text) : unescaped(text)
}
