/** Determines the encoding of an XML document: from its byte order mark, or else its declaration, or else UTF-8. */
import { XmlError } from './xml-error.ts'

export type XmlTextDecoder = InstanceType<typeof TextDecoder>

/**
 * Returns the decoder of a document; it refuses bytes that are invalid in the encoding.
 * @param start The document, or its first bytes with the declaration.
 * @throws {XmlError} for an encoding that is unknown or impossible
 */
export function decoderOf(start: Uint8Array): XmlTextDecoder {
  const name = markedEncoding(start) ?? declaredEncoding(start) ?? 'utf-8'
  try {
    return new TextDecoder(spellings.get(name) ?? name, { fatal: true })
  } catch {
    throw new XmlError(`the encoding "${name}" is not known`, 1)
  }
}

/** Encoding names that tools write and `TextDecoder` does not have, or treats as a superset. */
const spellings = new Map([
  ['latin-1', 'latin1'],
  ['ascii', 'utf-8'],
  ['us-ascii', 'utf-8'],
])

/** Returns the encoding of a byte order mark, or of `<` as two bytes. */
function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if ((first === 0xff && second === 0xfe) || (first === lessThan && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === lessThan)) return 'utf-16be'
  return undefined
}

const lessThan = 0x3c
/** Maximum length of a declaration in bytes. */
const mostBytes = 1024

function declaredEncoding(start: Uint8Array): string | undefined {
  const text = Buffer.from(start.subarray(0, mostBytes)).toString('latin1')
  const declaration = /^<\?xml\s/.test(text) ? text.slice(0, text.indexOf('>')) : ''
  const name = /\bencoding\s*=\s*["']([^"'<>]{1,40})["']/.exec(declaration)?.[1]
  if (name && /^(utf-?16|ucs-?2|utf-?32)/i.test(name))
    throw new XmlError(`declared as ${name}, but its characters are single bytes`, 1)
  return name?.toLowerCase()
}
