/**
 * `Content-Disposition` of a download: a name of ASCII letters, digits, `_ - .` and spaces that every client can store,
 * and beside it the exact one (RFC 8187; `spec/client-compat.md` 2.10).
 */
export function attachment(filename: string): string {
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

/** encodeURIComponent leaves four characters that RFC 8187 does not allow; a lone surrogate has no encoding at all. */
function encoded(name: string): string {
  const wellFormed = name.replace(/\p{Surrogate}/gu, '_')
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`
  return encodeURIComponent(wellFormed).replace(/['()*]/g, hex)
}
