/** What an uploaded file is, by its content; its name is not trusted (spec/formats.md 4.1). */
import type { RandomAccess } from './source.ts'

export type Container = 'zip' | 'json' | 'xml' | 'unknown'

export async function detectContainer(source: RandomAccess): Promise<Container> {
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
