import { type Chosen, chosenAs } from './chosen.ts'

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
  for await (const lot of lotsIn(entries)) {
    found.push(...(await Promise.all(lot)))
    onFound(found.length)
  }
  return found
}

/** Files of one folder after the other, in lots that are opened together: one by one takes minutes for thousands. */
async function* lotsIn(
  entries: readonly (FileSystemEntry | File)[],
): AsyncGenerator<Promise<Chosen>[], void> {
  yield entries.flatMap((entry) => {
    if (entry instanceof File) return Promise.resolve(chosenAs(entry.name, entry))
    return isFile(entry) ? fileOf(entry) : []
  })
  for (const entry of entries)
    if (!(entry instanceof File) && isFolder(entry))
      for await (const lot of membersOf(entry)) yield* lotsIn(lot)
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const pathOf = ({ fullPath }: FileSystemEntry) => fullPath.replace(/^\//, '')

const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<Chosen>((resolve, reject) =>
    entry.file((file) => resolve(chosenAs(pathOf(entry), file)), reject),
  )

/** They come in lots, of a hundred say, until an empty one. */
async function* membersOf(
  folder: FileSystemDirectoryEntry,
): AsyncGenerator<FileSystemEntry[], void> {
  const reader = folder.createReader()
  for (;;) {
    const lot = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (lot.length === 0) return
    yield lot
  }
}
