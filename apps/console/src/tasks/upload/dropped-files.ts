import { type SelectedFile, toSelectedFile } from './selected-files.ts'

/** Returns the dropped entries; must be called within the event, before the browser clears them. */
export function entriesOf({ items }: DataTransfer): (FileSystemEntry | File)[] {
  return [...items]
    .filter(({ kind }) => kind === 'file')
    .flatMap((item) => item.webkitGetAsEntry() ?? item.getAsFile() ?? [])
}

/**
 * Finds all dropped files, including those in folders.
 *
 * @param onFound called with the number of files found so far
 */
export async function findDroppedFiles(
  entries: readonly (FileSystemEntry | File)[],
  onFound: (count: number) => void,
): Promise<SelectedFile[]> {
  const found: SelectedFile[] = []
  for await (const batch of batchesIn(entries)) {
    found.push(...(await Promise.all(batch)))
    onFound(found.length)
  }
  return found
}

/**
 * Yields the files of one folder after the other, in batches that are opened in parallel; one by one would take
 * minutes for thousands.
 */
async function* batchesIn(
  entries: readonly (FileSystemEntry | File)[],
): AsyncGenerator<Promise<SelectedFile>[], void> {
  yield entries.flatMap((entry) => {
    if (entry instanceof File) return Promise.resolve(toSelectedFile(entry.name, entry))
    return isFile(entry) ? fileOf(entry) : []
  })
  for (const entry of entries)
    if (!(entry instanceof File) && isFolder(entry))
      for await (const batch of membersOf(entry)) yield* batchesIn(batch)
}

const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const pathOf = ({ fullPath }: FileSystemEntry) => fullPath.replace(/^\//, '')

const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<SelectedFile>((resolve, reject) =>
    entry.file((file) => resolve(toSelectedFile(pathOf(entry), file)), reject),
  )

/** Browsers return entries in batches, of about a hundred, until an empty one. */
async function* membersOf(
  folder: FileSystemDirectoryEntry,
): AsyncGenerator<FileSystemEntry[], void> {
  const reader = folder.createReader()
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    )
    if (batch.length === 0) return
    yield batch
  }
}
