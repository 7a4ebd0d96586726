import { type FileHandle, open } from 'node:fs/promises'

/** Boxes that an MP4 or QuickTime file may start with (ISO/IEC 14496-12 4.3; QuickTime File Format, "Atoms"). */
const firstBoxes = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot'])
const headBytes = 16

/**
 * Returns whether a file is shorter than the lengths of its outermost parts: boxes of MP4 and QuickTime, `RIFF` of AVI.
 * Demuxers do not notice a cut exactly between two packets. A file without such parts, or with a last part of open
 * length, does not end early.
 */
export async function endsEarly(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { size } = await file.stat()
    let end = 0
    for (let part = await partAt(file, 0); part !== undefined; part = await partAt(file, end)) {
      end = part
      if (end >= size) break
    }
    return end > size
  } finally {
    await file.close()
  }
}

/** Returns the end of the part that starts at a byte; undefined without a part, or for one of open length. */
async function partAt(file: FileHandle, start: number): Promise<number | undefined> {
  const head = Buffer.alloc(headBytes)
  const { bytesRead } = await file.read(head, 0, headBytes, start)
  const kind = head.toString('latin1', 4, 8)
  if (bytesRead < 8) return undefined
  if (head.toString('latin1', 0, 4) === 'RIFF') return start + 8 + head.readUInt32LE(4)
  const isBox = start === 0 ? firstBoxes.has(kind) : /^[\x20-\x7e]{4}$/.test(kind)
  if (!isBox) return undefined
  const length = head.readUInt32BE(0)
  const isLong = length === 1 && bytesRead === headBytes
  const bytes = isLong ? Number(head.readBigUInt64BE(8)) : length
  return bytes < 8 ? undefined : start + bytes
}
