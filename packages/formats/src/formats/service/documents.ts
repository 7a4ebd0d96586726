/** Finds the documents of an upload and reads them in constant memory. */

import { detectUpload } from '../../archive/detect.ts'
import { type RandomAccess, readPieces } from '../../archive/source.ts'
import type { ZipReader } from '../../archive/zip-reader.ts'
import { shareOf } from '../../importing/intake.ts'
import { openArchive } from '../../importing/open-archive.ts'
import type { ConversionRun } from '../../model/dataset.ts'
import { FormatError } from '../../report/errors.ts'
import { createXmlScanner, type XmlScanner } from '../../xml/scan.ts'
import { XmlError } from '../../xml/xml-error.ts'
import { createHandler, type ElementReader } from './element-reader.ts'

export interface ServiceDocument {
  name: string
  size: number
  /** Reads the bytes from the start; may be called more than once. */
  read(): AsyncIterable<Uint8Array>
}

/**
 * Finds the documents of an upload.
 * @throws {FormatError} when there is none
 */
export async function findDocuments(
  source: RandomAccess,
  run: ConversionRun,
): Promise<ServiceDocument[]> {
  const container = await detectUpload(source)
  if (container === 'xml') {
    const name = source.name ?? 'annotations.xml'
    return [{ name, size: source.size, read: () => readPieces(source) }]
  }
  if (container !== 'zip') throw new FormatError('expected an XML file or a ZIP archive')
  return documentsIn(await openArchive(source, run))
}

/**
 * Finds the documents of an archive, for imports that need images.
 * @throws {FormatError} when the upload is not an archive or has no documents
 */
export async function findServiceArchive(
  source: RandomAccess,
  run: ConversionRun,
): Promise<{ documents: ServiceDocument[]; zip: ZipReader }> {
  if ((await detectUpload(source)) !== 'zip')
    throw new FormatError('media is required: send a ZIP archive with the images')
  const zip = await openArchive(source, run)
  return { documents: documentsIn(zip), zip }
}

export const isDocumentName = (name: string): boolean => /\.xml$/i.test(name)

function documentsIn(zip: ZipReader): ServiceDocument[] {
  const documents = [...zip.files]
    .filter(([name]) => isDocumentName(name))
    .map(([name, entry]) => ({ name, size: entry.size, read: () => zip.stream(entry) }))
  if (documents.length > 0) return documents.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  throw new FormatError('no XML file in the archive, expected annotations.xml')
}

/** Returns a function that counts read bytes and updates the progress of the run. */
export function createByteCounter(
  documents: readonly ServiceDocument[],
  passes: number,
  run: ConversionRun,
) {
  const total = passes * documents.reduce((sum, { size }) => sum + size, 0)
  let done = 0
  return (bytes: number): void => {
    run.signal.throwIfAborted()
    done += bytes
    run.progress(shareOf(done, total))
  }
}

/**
 * Reads a document; yields after each piece.
 * @param begin Returns the reader of the document; it receives a function that returns the current line.
 * @throws {FormatError} with file and line of invalid XML
 */
export async function* readDocument(
  { name, read }: ServiceDocument,
  begin: (line: XmlScanner['line']) => ElementReader,
  onBytes: (bytes: number) => void,
): AsyncGenerator<void> {
  const scanner: XmlScanner = createXmlScanner(createHandler(begin(() => scanner.line())))
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

/** Size of a piece in bytes, which limits the annotations that are held until they are yielded. */
const pieceBytes = 65_536
