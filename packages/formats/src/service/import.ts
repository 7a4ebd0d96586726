/** Imports the native format in all of its layouts (spec/formats.md 7.6), flat in memory. */
import { detectContainer } from '../archive/detect.ts'
import { openArchive } from '../archive/open-archive.ts'
import { type RandomAccess, readPieces } from '../archive/source.ts'
import { FormatError } from '../errors.ts'
import { deepestOf } from '../match-frames.ts'
import type { Imported, ImportTarget, Run } from '../model.ts'
import { createXmlScanner, type XmlScanner } from '../xml/scan.ts'
import { XmlError } from '../xml/xml-error.ts'
import { handlerOf } from './context.ts'
import { documentContext, namesContext } from './read-document.ts'
import { newReading } from './reading.ts'

interface Document {
  name: string
  size: number
  /** The bytes from their start; may be read more than once. */
  read(): AsyncIterable<Uint8Array>
}

export async function* importService(
  source: RandomAccess,
  target: ImportTarget,
  run: Run,
): AsyncGenerator<Imported> {
  const documents = await findDocuments(source, run)
  // Only where frames are in folders one of them can stand before what a file calls an image.
  const hasFolders = target.frames.frames.some(({ path }) => /[\\/]/.test(path))
  const onBytes = counter(documents, hasFolders ? 2 : 1, run)
  const reading = newReading(target, run, hasFolders ? await deepestName(documents, onBytes) : '')
  for (const document of documents) {
    const scanner = createXmlScanner(handlerOf(documentContext(reading)))
    reading.file = document.name
    reading.line = scanner.line
    for await (const _ of scanned(document, scanner, onBytes)) {
      yield* reading.found
      reading.found = []
    }
  }
  reading.labels.check()
  reading.unmatched.check()
}

async function findDocuments(source: RandomAccess, run: Run): Promise<Document[]> {
  const container = await detectContainer(source)
  if (container === 'xml') {
    const name = source.name ?? 'annotations.xml'
    return [{ name, size: source.size, read: () => readPieces(source) }]
  }
  if (container !== 'zip') throw new FormatError('expected an XML file or a ZIP archive')
  const zip = await openArchive(source, run)
  const documents = [...zip.files]
    .filter(([name]) => /\.xml$/i.test(name))
    .map(([name, entry]) => ({ name, size: entry.size, read: () => zip.stream(entry) }))
  if (documents.length > 0) return documents.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  throw new FormatError('no XML file in the archive, expected annotations.xml')
}

function counter(documents: readonly Document[], passes: number, run: Run) {
  const total = passes * documents.reduce((sum, { size }) => sum + size, 0)
  let done = 0
  return (bytes: number): void => {
    run.signal.throwIfAborted()
    done += bytes
    run.progress(Math.min(1, done / total))
  }
}

async function deepestName(
  documents: readonly Document[],
  onBytes: (bytes: number) => void,
): Promise<string> {
  let deepest = ''
  const context = namesContext((name) => {
    deepest = deepestOf([deepest, name])
  })
  for (const document of documents) {
    const scanner = createXmlScanner(handlerOf(context))
    for await (const _ of scanned(document, scanner, onBytes));
  }
  return deepest
}

/**
 * Reads a document, telling when a piece of it is read.
 * @throws {FormatError} with file and line of what is no XML
 */
async function* scanned(
  { name, read }: Document,
  scanner: XmlScanner,
  onBytes: (bytes: number) => void,
): AsyncGenerator<void> {
  try {
    for await (const bytes of read()) {
      for (let from = 0; from < bytes.length; from += pieceBytes) {
        scanner.feed(bytes.subarray(from, from + pieceBytes))
        yield
      }
      onBytes(bytes.length)
    }
    scanner.end()
    yield
  } catch (thrown) {
    if (!(thrown instanceof XmlError)) throw thrown
    throw new FormatError(thrown.reason, { file: name, line: thrown.line })
  }
}

/** What is read at once is held until it is handed on. */
const pieceBytes = 65_536
