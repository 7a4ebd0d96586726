/** Detects what an uploaded file is from its content. The file name is not trusted. */
import { FormatError } from '../report/errors.ts'
import type { RandomAccess } from './source.ts'

export type ContainerKind = 'zip' | 'json' | 'xml' | 'unknown'

/**
 * Detects the container of an upload.
 * @throws {FormatError} when the file is empty
 */
export async function detectUpload(source: RandomAccess): Promise<ContainerKind> {
  if (source.size === 0) throw new FormatError('the file is empty')
  return detectContainer(source)
}

export async function detectContainer(source: RandomAccess): Promise<ContainerKind> {
  const head = Buffer.from(await source.read(0, Math.min(source.size, 4096)))
  const signature = head.toString('latin1', 0, 4)
  if (signature === 'PK\x03\x04' || signature === 'PK\x05\x06') return 'zip'
  const first = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()[0]
  if (first === '{' || first === '[') return 'json'
  return first === '<' ? 'xml' : 'unknown'
}
