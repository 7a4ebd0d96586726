import type { FileSource } from './sources.ts'

/** Unit of an upload: several small files in a form, or one file in chunks. */
export interface UploadUnit {
  /** Identifies the part and its files. */
  key: string
  files: readonly FileSource[]
  size: number
  isInPieces: boolean
}

/** Files up to this size (bytes) are sent in forms of at most this size; larger ones in chunks of it. */
export const partBytes = 8 * 1024 * 1024
/** The service accepts many more, but an interrupted form starts again. */
export const mostFiles = 100

/** A form keeps only the last part of a path. */
const fitsForm = ({ name, size }: FileSource) => size <= partBytes && !name.includes('/')

/** Returns whether the files fit into one request. */
export function fitsOneForm(files: readonly FileSource[]): boolean {
  return files.length <= mostFiles && sizeOf(files) <= partBytes && files.every(fitsForm)
}

/** Divides files into parts, in their order. */
export function partsOf(files: readonly FileSource[]): UploadUnit[] {
  const groups: FileSource[][] = []
  let open: FileSource[] = []
  for (const file of files.filter(fitsForm)) {
    if (open.length === mostFiles || sizeOf(open) + file.size > partBytes) open = []
    if (open.length === 0) groups.push(open)
    open.push(file)
  }
  const large = files.filter((file) => !fitsForm(file))
  return [
    ...groups.map((group) => partOf(group, false)),
    ...large.map((file) => partOf([file], true)),
  ]
}

function partOf(files: readonly FileSource[], isInPieces: boolean): UploadUnit {
  const told = files.map(({ name, size, modified }) => [name, size, modified ?? 0])
  return { key: markOf(JSON.stringify(told)), files, size: sizeOf(files), isInPieces }
}

export const sizeOf = (files: readonly FileSource[]): number =>
  files.reduce((sum, { size }) => sum + size, 0)

/** Returns a short hash of a text: two 32-bit sums similar to FNV-1a. Not cryptographic. */
export function markOf(text: string): string {
  let [low, high] = [0x811c9dc5, 0xcbf29ce4]
  for (let at = 0; at < text.length; at++) {
    low = Math.imul(low ^ text.charCodeAt(at), 0x01000193)
    high = Math.imul(high ^ text.charCodeAt(at), 0x01000197)
  }
  return [low, high].map((one) => (one >>> 0).toString(16).padStart(8, '0')).join('')
}
