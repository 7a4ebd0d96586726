/** Imports the native format in all of its layouts, in constant memory (docs/spec/formats.md#service-xml). */
import type { RandomAccess } from '../../archive/source.ts'
import { deepestOf } from '../../importing/match-frames.ts'
import type { ConversionRun, Imported, ImportTarget } from '../../model/dataset.ts'
import {
  createByteCounter,
  findDocuments,
  readDocument,
  type ServiceDocument,
} from './documents.ts'
import { type ElementFrames, taskFrames } from './element-frames.ts'
import { createImportState } from './import-state.ts'
import { createDocumentReader, namesReader } from './read-document.ts'

export async function* importService(
  source: RandomAccess,
  target: ImportTarget,
  run: ConversionRun,
): AsyncGenerator<Imported> {
  const documents = await findDocuments(source, run)
  // Only with frames in folders can a folder precede the names of images in the file.
  const hasFolders = target.frames.frames.some(({ path }) => /[\\/]/.test(path))
  const onBytes = createByteCounter(documents, hasFolders ? 2 : 1, run)
  const deepest = hasFolders ? await deepestName(documents, onBytes) : ''
  const frames = taskFrames(target.frames, deepest)
  yield* importDocuments(documents, { target, run, onBytes, framesOf: () => frames })
}

interface ServiceImport {
  target: ImportTarget
  run: ConversionRun
  onBytes: (bytes: number) => void
  /** Returns the frames of a document. */
  framesOf: (document: string) => ElementFrames
}

/** Yields the annotations of the documents, one after the other. */
export async function* importDocuments(
  documents: readonly ServiceDocument[],
  { target, run, onBytes, framesOf }: ServiceImport,
): AsyncGenerator<Imported> {
  const state = createImportState(target, run, documents.length)
  for (const document of documents) {
    const begin = (line: () => number) => {
      const frames = framesOf(document.name)
      Object.assign(state, { line, file: document.name, frames, videoSizes: new Map() })
      return createDocumentReader(state)
    }
    for await (const _ of readDocument(document, begin, onBytes)) {
      yield* state.found
      state.found = []
    }
  }
  state.labels.check()
  state.comparison.items.check()
}

async function deepestName(
  documents: readonly ServiceDocument[],
  onBytes: (bytes: number) => void,
): Promise<string> {
  let deepest = ''
  const context = namesReader((name) => {
    deepest = deepestOf([deepest, name])
  })
  for (const document of documents)
    for await (const _ of readDocument(document, () => context, onBytes));
  return deepest
}
