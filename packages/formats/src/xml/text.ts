/** What stands for characters in XML: the five predefined entities and numbers, both ways. */

const entities = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['apos', "'"],
])

/** Longest text from `&` to `;`: leading zeros are allowed, but not without end. */
export const longestReference = 16

/** Makes an error of what is wrong at some place of a text. */
export type Refuse = (reason: string, at: number) => Error

/**
 * The text with line ends as XML has them and references resolved.
 * @throws what `refuse` makes of a reference that means nothing: nothing is ever defined by a document.
 */
export function resolve(text: string, refuse: Refuse): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  if (!lines.includes('&')) return lines
  return lines.replace(/&([^;&]*)(;?)/g, (whole: string, name: string, end: string, at: number) => {
    const character = end === '' ? undefined : characterOf(name)
    if (character !== undefined) return character
    const found = `"${whole.slice(0, longestReference)}"`
    throw refuse(`${found} is none of &lt; &gt; &amp; &quot; &apos;`, at)
  })
}

/** The same for the value of an attribute, in which every blank is a space. */
export function resolveValue(text: string, refuse: Refuse): string {
  return resolve(text.replace(/\r\n?|[\t\n]/g, ' '), refuse)
}

function characterOf(name: string): string | undefined {
  const number = /^#(?:x([0-9a-fA-F]+)|([0-9]+))$/.exec(name)
  if (!number) return entities.get(name)
  const [, hexadecimal, decimal] = number
  const code = hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal)
  if (!(code <= 0x10ffff) || (code >= 0xd800 && code <= 0xdfff)) return undefined
  const character = String.fromCodePoint(code)
  return illegal.test(character) ? undefined : character
}

const span = (first: number, last: number): string =>
  `${String.fromCharCode(first)}-${String.fromCharCode(last)}`
const illegalCharacters = span(0, 8) + span(0x0b, 0x0c) + span(0x0e, 0x1f) + span(0xfffe, 0xffff)

/** A character that no XML may hold, not even as a number. */
export const illegal = new RegExp(`[${illegalCharacters}]`)

const replaced = new RegExp(`[&<>${illegalCharacters}\\r]`, 'g')
const replacedInValues = new RegExp(`[&<>"${illegalCharacters}\\t\\n\\r]`, 'g')
const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const replacementOf = (character: string): string =>
  marks[character] ?? (illegal.test(character) ? '\ufffd' : `&#${character.charCodeAt(0)};`)

/** The text as the content of an element; what XML cannot hold becomes U+FFFD. */
export function escapeText(text: string): string {
  return text.replace(replaced, replacementOf)
}

/** The text as the value of an attribute in double quotes. */
export function escapeValue(text: string): string {
  return text.replace(replacedInValues, replacementOf)
}
