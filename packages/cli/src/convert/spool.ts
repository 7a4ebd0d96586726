import { createReadStream, createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import type {
  DatasetShape,
  DatasetTag,
  DatasetTrack,
  Imported,
} from '@reticle/formats/model/dataset'
import type { AnnotationStreams } from '@reticle/formats/tracks/dataset-items'

/**
 * Sorts objects from the order of the source file to the order of frames, which writers need. Uses sorted run files
 * that are merged when they are read, so memory holds one run for a set of any size.
 */
export interface Spool {
  add(object: Imported): Promise<void>
  /** Ends the insertion. Each call of the returned function reads from the beginning. */
  seal(): Promise<() => AnnotationStreams>
}

/** Maximum number of characters in a run. */
const runLength = 8_000_000
/** Number of objects that are read at a time. */
const batchLength = 512

/**
 * Creates a spool.
 *
 * @param dir separate folder for the run files
 */
export function createSpool(dir: string, signal: AbortSignal): Spool {
  const kinds = {
    tag: createSorter(join(dir, 'tags')),
    shape: createSorter(join(dir, 'shapes')),
    track: createSorter(join(dir, 'tracks')),
  }
  return {
    async add(object) {
      signal.throwIfAborted()
      const value = objectOf(object)
      await kinds[object.kind].add(value.frame, JSON.stringify(value))
    },
    async seal() {
      for (const sorter of Object.values(kinds)) await sorter.seal()
      return () => ({
        tags: readBatches<DatasetTag>(kinds.tag.read()),
        shapes: readBatches<DatasetShape>(kinds.shape.read()),
        tracks: readSingly<DatasetTrack>(kinds.track.read()),
      })
    },
  }
}

function objectOf(object: Imported): DatasetTag | DatasetShape | DatasetTrack {
  if (object.kind === 'tag') return object.tag
  return object.kind === 'shape' ? object.shape : object.track
}

async function* readBatches<T>(lines: AsyncIterable<SpoolLine>): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const { text } of lines) {
    batch.push(JSON.parse(text))
    if (batch.length < batchLength) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Yields objects one by one, because a batch of tracks may be large. */
async function* readSingly<T>(lines: AsyncIterable<SpoolLine>): AsyncGenerator<T> {
  for await (const { text } of lines) yield JSON.parse(text)
}

// ---- sorting

interface SpoolLine {
  frame: number
  text: string
}

/** Creates a sorter of lines by frame; lines of a frame keep their order. */
function createSorter(path: string) {
  const files: RunFile[] = []
  let run: SpoolLine[] = []
  let length = 0
  const flush = async () => {
    const sorted = run.toSorted((one, other) => one.frame - other.frame)
    run = []
    length = 0
    const [first] = sorted
    if (!first) return
    // A run that starts where the previous one ended is appended to its file, so that sorted input needs only one
    // file.
    const former = files.at(-1)
    const file = former && former.last <= first.frame ? former : openRun(`${path}-${files.length}`)
    if (file !== former) files.push(file)
    await file.append(sorted)
  }
  return {
    async add(frame: number, text: string) {
      run.push({ frame, text })
      length += text.length
      if (length >= runLength) await flush()
    },
    async seal() {
      await flush()
      for (const file of files) await file.close()
    },
    read: () => mergeLines(files.map(({ path }) => linesOf(path))),
  }
}

interface RunFile {
  path: string
  /** Frame of the last line. */
  last: number
  append(sorted: readonly SpoolLine[]): Promise<void>
  close(): Promise<void>
}

function openRun(path: string): RunFile {
  const stream: WriteStream = createWriteStream(path)
  stream.on('error', () => undefined) // write and close report the error with the path
  const file: RunFile = {
    path,
    last: 0,
    async append(sorted) {
      for (let at = 0; at < sorted.length; at += batchLength) {
        const lines = sorted.slice(at, at + batchLength)
        await writeText(stream, lines.map(({ frame, text }) => `${frame} ${text}\n`).join(''))
      }
      file.last = sorted.at(-1)?.frame ?? file.last
    },
    async close() {
      stream.end()
      await finished(stream)
    },
  }
  return file
}

/** Waits until the text was written, so that a full disk is reported and memory stays limited. */
const writeText = (stream: WriteStream, text: string) =>
  new Promise<void>((resolve, reject) => {
    const { path } = stream
    stream.write(text, (fault) => (fault ? reject(Object.assign(fault, { path })) : resolve()))
  })

async function* linesOf(path: string): AsyncGenerator<SpoolLine> {
  let rest = ''
  for await (const piece of createReadStream(path, { encoding: 'utf8', highWaterMark: 262_144 })) {
    const lines = `${rest}${piece}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const space = line.indexOf(' ')
      yield { frame: Number(line.slice(0, space)), text: line.slice(space + 1) }
    }
  }
}

/** Merges lines by frame; within a frame those of earlier files come first. */
async function* mergeLines(sources: AsyncGenerator<SpoolLine>[]): AsyncGenerator<SpoolLine> {
  try {
    const heads = await Promise.all(sources.map((source) => source.next()))
    for (;;) {
      let least = -1
      let frame = Number.POSITIVE_INFINITY
      for (const [index, head] of heads.entries()) {
        if (head.done || head.value.frame >= frame) continue
        least = index
        frame = head.value.frame
      }
      const head = heads[least]
      const source = sources[least]
      if (!head || head.done || !source) return
      yield head.value
      heads[least] = await source.next()
    }
  } finally {
    await Promise.all(sources.map((source) => source.return(undefined)))
  }
}
