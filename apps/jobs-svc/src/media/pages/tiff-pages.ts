import type { RandomAccess } from '@reticle/formats/archive/source'

/** Layout of a TIFF or BigTIFF: sizes of its numbers and directory entries. */
interface Layout {
  isLittle: boolean
  countBytes: 2 | 8
  entryBytes: 12 | 20
  offsetBytes: 4 | 8
}

/** Limit of entries of one directory; usual pictures have about 20. */
const mostEntries = 4096
/** Tag for the role of a picture in the file (TIFF 6.0, NewSubfileType). */
const subfileTag = 254
/** Flags of a smaller copy of another page, or a mask of it. */
const noPage = 0b101

/** Counts the pages of a TIFF: its directories without thumbnails and masks. */
export async function countTiffPages(source: RandomAccess, most: number): Promise<number> {
  if (source.size < 16) return 0
  const head = viewOf(await source.read(0, 16))
  const isLittle = head.getUint8(0) === 0x49
  const isBig = head.getUint16(2, isLittle) === 43
  const layout: Layout = isBig
    ? { isLittle, countBytes: 8, entryBytes: 20, offsetBytes: 8 }
    : { isLittle, countBytes: 2, entryBytes: 12, offsetBytes: 4 }
  const seen = new Set<number>()
  let pages = 0
  let at = offsetAt(head, isBig ? 8 : 4, layout)
  while (at > 0 && !seen.has(at) && seen.size < most) {
    seen.add(at)
    const directory = await readDirectory(source, at, layout)
    if (!directory) break
    if (isPage(directory.entries, layout)) pages += 1
    at = directory.next
  }
  return pages
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength)

const offsetAt = (view: DataView, at: number, { offsetBytes, isLittle }: Layout) =>
  offsetBytes === 4 ? view.getUint32(at, isLittle) : Number(view.getBigUint64(at, isLittle))

/** Reads a directory; undefined if the file ends before it. */
async function readDirectory(source: RandomAccess, at: number, layout: Layout) {
  const { countBytes, entryBytes, offsetBytes, isLittle } = layout
  const start = at + countBytes
  if (start > source.size) return undefined
  const head = viewOf(await source.read(at, start))
  const count =
    countBytes === 2 ? head.getUint16(0, isLittle) : Number(head.getBigUint64(0, isLittle))
  const end = start + count * entryBytes
  if (count > mostEntries || end + offsetBytes > source.size) return undefined
  const entries = viewOf(await source.read(start, end + offsetBytes))
  return { entries, next: offsetAt(entries, count * entryBytes, layout) }
}

function isPage(entries: DataView, { entryBytes, offsetBytes, isLittle }: Layout): boolean {
  const end = entries.byteLength - offsetBytes
  for (let at = 0; at < end; at += entryBytes)
    if (entries.getUint16(at, isLittle) === subfileTag)
      return (entries.getUint32(at + entryBytes - offsetBytes, isLittle) & noPage) === 0
  return true
}
