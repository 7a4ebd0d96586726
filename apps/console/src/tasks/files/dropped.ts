import type { Chosen } from './chosen.ts'

/** What a drop brought, before the browser takes it back: to be called within the event. */
export function entriesOf({ items }: DataTransfer): (FileSystemEntry | File)[] {
  return [...items]
    .filter(({ kind }) => kind === 'file')
    .flatMap((item) => item.webkitGetAsEntry() ?? item.getAsFile() ?? [])
}

/**
 * All files of what was dropped, those of folders as well.
 *
 * @param onFound told how many have been found so far
 */
export async function walk(
  entries: readonly (FileSystemEntry | File)[],
  onFound: (count: number) => void,
): Promise<Chosen[]> {
  const found: Chosen[] = []
  const waiting = [...entries]
  for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
    if (entry instanceof File) found.push({ path: entry.name, file: entry })
    else if (isFolder(entry)) waiting.push(...(await membersOf(entry)))
    else if (isFile(entry)) found.push({ path: pathOf(entry), file: await fileOf(entry) })
    if (found.length % 100 === 0) onFound(found.length)
  }
  return found
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const pathOf = ({ fullPath }: FileSystemEntry) => fullPath.replace(/^\//, '')

const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => entry.file(resolve, reject))

/** They come in lots, of a hundred say, until an empty one. */
async function membersOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader()
  const all: FileSystemEntry[] = []
  for (;;) {
    const lot = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (lot.length === 0) return all
    all.push(...lot)
  }
}
