/** Escapes texts for XML. Characters that XML cannot represent become U+FFFD. */

const span = (first: number, last: number): string =>
  `${String.fromCharCode(first)}-${String.fromCharCode(last)}`
const illegalCharacters = span(0, 8) + span(0x0b, 0x0c) + span(0x0e, 0x1f) + span(0xfffe, 0xffff)
const illegal = new RegExp(`[${illegalCharacters}]`)

const replaced = new RegExp(`[&<>${illegalCharacters}\\r]`, 'g')
const replacedInValues = new RegExp(`[&<>"${illegalCharacters}\\t\\n\\r]`, 'g')
const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const replacementOf = (character: string): string =>
  marks[character] ?? (illegal.test(character) ? '\ufffd' : `&#${character.charCodeAt(0)};`)

/** Escapes the content of an element. */
export function escapeText(text: string): string {
  return text.replace(replaced, replacementOf)
}

/** Escapes the value of an attribute in double quotes. */
export function escapeValue(text: string): string {
  return text.replace(replacedInValues, replacementOf)
}
