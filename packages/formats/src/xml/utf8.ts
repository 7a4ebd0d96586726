/** UTF-8 that comes in pieces cut anywhere. */

export interface Utf8Reader {
  /**
   * The characters that are complete with these bytes.
   * @throws {TypeError} when the bytes are no UTF-8.
   */
  take(bytes: Uint8Array): string
  /** Whether the bytes ended within a character. */
  isCut(): boolean
}

export function utf8Reader(): Utf8Reader {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let rest = new Uint8Array(0)
  return {
    take(given) {
      const bytes = rest.length === 0 ? given : Buffer.concat([rest, given])
      const end = bytes.length - cutBytes(bytes)
      rest = bytes.slice(end)
      return decoder.decode(bytes.subarray(0, end))
    },
    isCut: () => rest.length > 0,
  }
}

/** Bytes at the end that begin a character without finishing it. */
function cutBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0
    if (byte < 0x80) return 0
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0
  }
  return 0
}

function lengthOf(lead: number): number {
  if (lead >= 0xf0) return 4
  return lead >= 0xe0 ? 3 : 2
}
