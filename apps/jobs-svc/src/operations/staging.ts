import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type RowKind, rowKinds, rowLinesHeader, splitLines } from '@reticle/contracts/row-lines'
import { joinTexts, pieceBytes } from '@reticle/kit/pieces'

/** Text that waits in a temporary file: whole and checked before anything changes, or to be read in another order. */
export interface Staged {
  read: () => AsyncIterable<Uint8Array>
}

/** Writes texts into a file of `dir`, as fast as the disk takes them. */
export async function stage(
  dir: string,
  name: string,
  texts: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<Staged> {
  const path = join(dir, name)
  const file = await open(path, 'w')
  try {
    for await (const piece of joinTexts(texts)) {
      signal.throwIfAborted()
      await file.appendFile(piece)
    }
  } finally {
    await file.close()
  }
  return readable(path)
}

/** Splits row lines into a file a kind, which can then be read side by side. */
export async function stageRows(
  dir: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Record<RowKind, Staged>> {
  const path = (kind: RowKind) => join(dir, `${kind}.rows`)
  const files = await Promise.all(rowKinds.map((kind) => open(path(kind), 'w')))
  try {
    for (const file of files) await file.appendFile(rowLinesHeader)
    let isFirst = true
    for await (const batch of splitLines(chunks)) {
      signal.throwIfAborted()
      await appendByKind(files, isFirst ? batch.slice(1) : batch)
      isFirst = false
    }
  } finally {
    await Promise.all(files.map((file) => file.close()))
  }
  const [tag, shape, track] = rowKinds
  return { tag: readable(path(tag)), shape: readable(path(shape)), track: readable(path(track)) }
}

/** Lines are latin-1 texts whose characters stand for bytes; they are written as those bytes. */
async function appendByKind(files: readonly FileHandle[], lines: readonly string[]): Promise<void> {
  for (const [index, file] of files.entries()) {
    const own = lines.filter((line) => line.startsWith(rowKinds[index] ?? ''))
    if (own.length > 0) await file.appendFile(Buffer.from(`${own.join('\n')}\n`, 'latin1'))
  }
}

const readable = (path: string): Staged => ({ read: () => readPieces(path) })

/** Opened by whoever begins to read, and by nobody else. */
async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: pieceBytes })
}
