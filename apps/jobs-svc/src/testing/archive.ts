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
