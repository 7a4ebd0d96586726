import { unavailable } from '@reticle/kit'
import { DownloadFailed, type Downloads } from '@reticle/kit/outgoing/download'
import { UnusableInput } from '../../work/errors.ts'
import type { CreateWork } from '../../work/request-work.ts'
import { gatherShare, type SourceDeps } from './deps.ts'
import { type SourceFile, toSourceFile } from './source-listing.ts'

/** Number of concurrent downloads. */
const sideBySide = 4
const longestShown = 300
const longestName = 255

/**
 * Fetches files from other servers into objects below `prefix`. Their names are the last parts of their addresses, with
 * a number when another file has that name.
 *
 * @param taken names of the other files of the request
 * @throws UnusableInput naming the address that could not be fetched; DomainError unavailable when that may be
 *   transient
 */
export async function remoteFiles(
  { remote_files }: Pick<CreateWork['params'], 'remote_files'>,
  taken: ReadonlySet<string>,
  deps: SourceDeps,
): Promise<SourceFile[]> {
  const { progress, signal } = deps
  if (remote_files.length === 0) return []
  const downloads = deps.openDownloads()
  const names = differentNames(remote_files.map(nameOf), taken)
  const found = new Map<number, SourceFile>()
  const waiting = remote_files.entries()
  const failed = new AbortController()
  const stop = AbortSignal.any([signal, failed.signal])
  const fetchNext = async () => {
    for (const [index, url] of waiting) {
      stop.throwIfAborted()
      const requestedFile = { url, key: `${deps.prefix}remote-${index}` }
      const size = await fetchOne(requestedFile, downloads, { ...deps, signal: stop })
      const named = `remote_files[${index}]: ${shown(url)}`
      found.set(index, { ...toSourceFile(names[index] ?? '', requestedFile.key, size), named })
      progress((gatherShare * found.size) / remote_files.length, 'Fetching files')
    }
  }
  // Waits for all downloads: no object may be written after the decision what to delete.
  const running = Array.from({ length: sideBySide }, () =>
    fetchNext().catch((thrown) => failed.abort(thrown)),
  )
  await Promise.all(running)
  await downloads.close()
  stop.throwIfAborted()
  return remote_files.flatMap((_, index) => found.get(index) ?? [])
}

/**
 * Fetches one file.
 *
 * @returns bytes
 */
async function fetchOne(
  { url, key }: { url: string; key: string },
  downloads: Downloads,
  { blobs, signal }: SourceDeps,
): Promise<number> {
  try {
    const pieces = await downloads.open(url, signal)
    const { size } = await blobs.put(key, pieces, { signal })
    return size
  } catch (thrown) {
    if (!(thrown instanceof DownloadFailed)) throw thrown
    const message = `${shown(url)} could not be fetched: ${thrown.message}`
    throw thrown.isPassing ? unavailable(message) : new UnusableInput(message)
  }
}

/** Removes the query of an address for messages, because it may contain a secret. */
const shown = (url: string) => url.replace(/\?.*$/s, '').slice(0, longestShown)

function nameOf(url: string): string {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  const name = decoded(last)
    .replace(/[\p{Cc}/\\]/gu, '')
    .slice(-longestName) // the end of a name distinguishes better than its start
  return name === '' || name === '.' || name === '..' ? 'file' : name
}

/** Makes names unique; the first file keeps its name. The same addresses in the same order get the same names. */
function differentNames(names: readonly string[], taken: ReadonlySet<string>): string[] {
  const used = new Set([...taken, ...names])
  const kept = new Set(taken)
  const numbers = new Map<string, number>()
  return names.map((name) => {
    if (!kept.has(name)) {
      kept.add(name)
      return name
    }
    const [, stem = name, ending = ''] = /^(.+?)(\.[^.]*)?$/s.exec(name) ?? []
    let number = numbers.get(name) ?? 2
    while (used.has(`${stem}_${number}${ending}`)) number += 1
    numbers.set(name, number + 1)
    used.add(`${stem}_${number}${ending}`)
    return `${stem}_${number}${ending}`
  })
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
