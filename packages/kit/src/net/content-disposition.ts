/**
 * Returns the `Content-Disposition` header of a download: a plain name of ASCII letters, digits, `_ - .` and spaces
 * that every client can store, and the exact name (RFC 8187).
 */
export function formatAttachment(filename: string): string {
  const name = filename.replace(/\p{Cc}/gu, '')
  return `attachment; filename="${plain(name)}"; filename*=UTF-8''${encoded(name)}`
}

const longest = 254

function plain(name: string): string {
  const safe = name.replace(/[^\w. -]/g, '_').replace(/^\.+/, '_')
  const dot = safe.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [safe.slice(0, dot), safe.slice(dot)] : [safe, '.bin']
  return stem.slice(0, longest - extension.length) + extension.slice(0, longest)
}

/**
 * Encodes a name. `encodeURIComponent` leaves four characters that RFC
 * 8187 does not allow, and fails for a lone surrogate.
 */
function encoded(name: string): string {
  const wellFormed = name.replace(/\p{Surrogate}/gu, '_')
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(wellFormed).replace(/['()*]/g, hex)
}
