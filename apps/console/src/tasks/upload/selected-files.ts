import type { FileSource } from '@reticle/sdk'

/** A chosen file with its path relative to the chosen folder. */
export interface SelectedFile {
  /** Path with `/` as separator. */
  path: string
  file: File
  /** Size in bytes. */
  size: number
  /** Milliseconds since 1970. */
  modified: number
}

/** Reads size and time once per file, because each read accesses the disk and blocks the page. */
export function toSelectedFile(path: string, file: File): SelectedFile {
  const { size, lastModified: modified } = file
  return { path, file, size, modified }
}

/** Files to send, with a summary. */
export interface FileSelection {
  sources: FileSource[]
  /** Size in bytes. */
  size: number
  /** Suggested task name: the folder, otherwise the first file. */
  name: string
  /** Number of ignored files of the operating system. */
  leftOut: number
}

const filesAtOnce = 100

/** Reads the files of an `<input>`; files of a folder include their paths. */
export async function readSelectedFiles(
  files: readonly File[],
  onFound: (count: number) => void,
): Promise<SelectedFile[]> {
  const all: SelectedFile[] = []
  while (all.length < files.length) {
    const batch = files.slice(all.length, all.length + filesAtOnce)
    all.push(...batch.map((file) => toSelectedFile(file.webkitRelativePath || file.name, file)))
    onFound(all.length)
    await new Promise((resolve) => setTimeout(resolve))
  }
  return all
}

/** Sorts the files by path; a common parent folder is removed from their names. */
export function createFileSelection(all: readonly SelectedFile[]): FileSelection {
  const kept = all.filter(({ path }) => !isHidden(path)).sort(byPath)
  const folder = folderOf(kept)
  return {
    sources: kept.map((one) => sourceOf(one.path.slice(folder.length), one)),
    size: kept.reduce((sum, one) => sum + one.size, 0),
    name: nameOf(folder, kept),
    leftOut: all.length - kept.length,
  }
}

const collator = new Intl.Collator('en', { numeric: true })
const byPath = (a: SelectedFile, b: SelectedFile) => collator.compare(a.path, b.path)

const systemFiles = ['thumbs.db', 'desktop.ini', '__macosx']

const isHidden = (path: string) =>
  path.split('/').some((part) => part.startsWith('.') || systemFiles.includes(part.toLowerCase()))

/** Returns the longest common folder of the paths, with a trailing `/`. */
function folderOf([first, ...others]: readonly SelectedFile[]): string {
  if (!first) return ''
  let folder = first.path.slice(0, first.path.lastIndexOf('/') + 1)
  for (const { path } of others) while (!path.startsWith(folder)) folder = parentFolderOf(folder)
  return folder
}

const parentFolderOf = (folder: string) => folder.slice(0, folder.slice(0, -1).lastIndexOf('/') + 1)

function nameOf(folder: string, [first]: readonly SelectedFile[]): string {
  const named = folder.split('/').at(-2)
  return named ?? first?.file.name.replace(/\.[^.]+$/, '') ?? ''
}

const sourceOf = (name: string, { file, size, modified }: SelectedFile): FileSource => ({
  name,
  size,
  modified,
  read: async (start, end) => file.slice(start, end),
})
