import type { FileSource } from '@reticle/sdk'

/** A file that somebody chose, with its path below what they chose. */
export interface Chosen {
  /** `/` between its parts. */
  path: string
  file: File
  /** Bytes. */
  size: number
  /** Milliseconds since 1970. */
  modified: number
}

/** The browser asks the disk for size and time, and waits: so each is asked once, and never for all files in one go. */
export function chosenAs(path: string, file: File): Chosen {
  const { size, lastModified: modified } = file
  return { path, file, size, modified }
}

/** What is to be sent, and what can be said of it at once. */
export interface Choice {
  sources: FileSource[]
  /** Bytes. */
  size: number
  /** What a task of it may be called: the folder, else the first file. */
  name: string
  /** Files that only the operating system needs. */
  leftOut: number
}

const filesAtOnce = 100

/** Files of an `<input>`; of a folder they bring their paths. */
export async function chosenOf(
  files: readonly File[],
  onFound: (count: number) => void,
): Promise<Chosen[]> {
  const all: Chosen[] = []
  while (all.length < files.length) {
    const lot = files.slice(all.length, all.length + filesAtOnce)
    all.push(...lot.map((file) => chosenAs(file.webkitRelativePath || file.name, file)))
    onFound(all.length)
    await new Promise((resolve) => setTimeout(resolve))
  }
  return all
}

/** In the order of their paths; a folder that has all of them is not part of their names. */
export function choiceOf(all: readonly Chosen[]): Choice {
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
const byPath = (a: Chosen, b: Chosen) => collator.compare(a.path, b.path)

const systemFiles = ['thumbs.db', 'desktop.ini', '__macosx']

const isHidden = (path: string) =>
  path.split('/').some((part) => part.startsWith('.') || systemFiles.includes(part.toLowerCase()))

/** The longest path of folders that all of them are in, with `/` at its end. */
function folderOf([first, ...others]: readonly Chosen[]): string {
  if (!first) return ''
  let folder = first.path.slice(0, first.path.lastIndexOf('/') + 1)
  for (const { path } of others) while (!path.startsWith(folder)) folder = above(folder)
  return folder
}

const above = (folder: string) => folder.slice(0, folder.slice(0, -1).lastIndexOf('/') + 1)

function nameOf(folder: string, [first]: readonly Chosen[]): string {
  const named = folder.split('/').at(-2)
  return named ?? first?.file.name.replace(/\.[^.]+$/, '') ?? ''
}

const sourceOf = (name: string, { file, size, modified }: Chosen): FileSource => ({
  name,
  size,
  modified,
  read: async (start, end) => file.slice(start, end),
})
