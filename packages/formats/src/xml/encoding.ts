/** What the bytes of an XML document are encoded in: its mark says it, else its declaration, else it is UTF-8. */
import { XmlError } from './xml-error.ts'

export type Decoder = InstanceType<typeof TextDecoder>

/**
 * The decoder of a document; it refuses bytes that are none of the encoding.
 * @param start The document, or its first bytes with the declaration.
 * @throws {XmlError} for an encoding that is not known, or cannot be
 */
export function decoderOf(start: Uint8Array): Decoder {
  const name = markedEncoding(start) ?? declaredEncoding(start) ?? 'utf-8'
  try {
    return new TextDecoder(spellings.get(name) ?? name, { fatal: true })
  } catch {
    throw new XmlError(`the encoding "${name}" is not known`, 1)
  }
}

/** Names that tools write and `TextDecoder` has not, or reads as something wider. */
const spellings = new Map([
  ['latin-1', 'latin1'],
  ['ascii', 'utf-8'],
  ['us-ascii', 'utf-8'],
])

/** Told by a byte order mark, or by `<` being two bytes. */
function markedEncoding([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if ((first === 0xff && second === 0xfe) || (first === lessThan && second === 0)) return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === lessThan)) return 'utf-16be'
  return undefined
}

const lessThan = 0x3c
/** A declaration is not longer. */
const mostBytes = 1024

function declaredEncoding(start: Uint8Array): string | undefined {
  const text = Buffer.from(start.subarray(0, mostBytes)).toString('latin1')
  const declaration = /^<\?xml\s/.test(text) ? text.slice(0, text.indexOf('>')) : ''
  const name = /\bencoding\s*=\s*["']([^"'<>]{1,40})["']/.exec(declaration)?.[1]
  if (name && /^(utf-?16|ucs-?2|utf-?32)/i.test(name))
    throw new XmlError(`declared as ${name}, but its characters are single bytes`, 1)
  return name?.toLowerCase()
}
