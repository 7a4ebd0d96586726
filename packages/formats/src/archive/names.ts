/** Names of archive members (spec/formats.md 4.1, reliability.md 9). */
import { FormatError } from '../errors.ts'

/** Decodes a stored name: UTF-8 when it says so or reads as such, else latin-1. */
export function decodeName(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return Buffer.from(bytes).toString('latin1')
  }
}

/**
 * The one form of a name: `/` between parts, NFC, no empty or `.` parts. A directory keeps its last `/`.
 * @throws {FormatError} when the name could leave the archive or cannot be a name.
 */
export function normaliseName(stored: string): string {
  const name = stored.replaceAll('\\', '/').normalize('NFC')
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  const reason = nameFault(name, parts)
  if (reason) throw new FormatError(`bad path in archive: ${JSON.stringify(stored)} ${reason}`)
  return parts.join('/') + (name.endsWith('/') ? '/' : '')
}

/** Members that systems and tools leave behind and that are never data. */
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
