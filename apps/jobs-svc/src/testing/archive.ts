import { writeZip } from '@reticle/formats/archive/zip-writer'
import sharp from 'sharp'

/** Creates an archive with the given members. */
export async function archiveOf(files: Record<string, string | Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  const members = Object.entries(files).map(([path, content]) => ({ path, content }))
  for await (const part of writeZip(members, new Date(0))) parts.push(part)
  return Buffer.concat(parts)
}

/** Creates a picture of one colour. */
export const png = (width: number, height: number): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: 'teal' } })
    .png()
    .toBuffer()

/** Replaces the checksum of a member of an archive, as if a byte of the member had changed. */
export function withWrongChecksum(archive: Buffer, name: string): Buffer {
  const changed = Buffer.from(archive)
  const header = Buffer.from('PK\x01\x02')
  for (let at = changed.indexOf(header); at >= 0; at = changed.indexOf(header, at + 4)) {
    const start = at + 46
    if (changed.toString('utf8', start, start + changed.readUInt16LE(at + 28)) !== name) continue
    changed.writeUInt32LE((changed.readUInt32LE(at + 16) ^ 1) >>> 0, at + 16)
    return changed
  }
  throw new Error(`no member ${name}`)
}
