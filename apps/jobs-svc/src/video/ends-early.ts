import { type FileHandle, open } from 'node:fs/promises'

/** Boxes that an MP4 or QuickTime file may begin with (ISO/IEC 14496-12 4.3; QuickTime File Format, "Atoms"). */
const firstBoxes = new Set(['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot'])
const headBytes = 16

/**
 * Whether a file is shorter than its outermost parts say: boxes of MP4 and QuickTime, `RIFF` of AVI. Readers do not notice when
 * the cut is exactly between two packets. What has no such parts, or parts without an end of their own, does not end early.
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

/** Where the part that begins at a byte ends; undefined where none begins, or one that goes on for as long as the file. */
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
