/** Names of archive members: decoding, normal form, and names to ignore. */
import { FormatError } from '../report/errors.ts'

/** Decodes a stored name: UTF-8 when it is valid UTF-8, otherwise latin-1. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return Buffer.from(bytes).toString('latin1')
  }
}

/**
 * Normalizes a name: `/` between parts, NFC, no empty or `.` parts. A directory keeps its trailing `/`.
 * @throws {FormatError} when the name could leave the archive or is not a valid name
 */
export function normaliseName(stored: string): string {
  const name = stored.replaceAll('\\', '/').normalize('NFC')
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  const reason = nameFault(name, parts)
  if (reason) throw new FormatError(`bad path in archive: ${JSON.stringify(stored)} ${reason}`)
  return parts.join('/') + (name.endsWith('/') ? '/' : '')
}

/** Returns whether a member is a directory or a leftover of an operating system or tool, never data. */
export function isJunk(name: string): boolean {
  if (name.endsWith('/') || name.split('/').includes('__MACOSX')) return true
  const base = name.slice(name.lastIndexOf('/') + 1)
  return junkNames.has(base) || base.startsWith('._')
}

const junkNames = new Set(['.DS_Store', 'Thumbs.db', 'desktop.ini'])

function nameFault(name: string, parts: string[]): string | undefined {
  if (parts.length === 0) return 'is empty'
  if (name.startsWith('/') || /^[a-zA-Z]:/.test(name)) return 'is absolute'
  if (parts.includes('..')) return 'leaves the archive'
  if (/\p{Cc}/u.test(name)) return 'has control characters'
  if (parts.some((part) => Buffer.byteLength(part) > 255)) return 'has a part over 255 bytes'
  return Buffer.byteLength(name) > 4096 ? 'is longer than 4096 bytes' : undefined
}
