import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { type RowKind, rowKinds, rowLinesHeader, splitLines } from '@reticle/contracts/row-lines'
import { joinTexts, pieceBytes } from '@reticle/kit/call/pieces'

/** Text in a temporary file, either to check it whole before any change, or to read it in another order. */
export interface Staged {
  read: () => AsyncIterable<Uint8Array>
}

/** Writes texts into a file of `dir`, with back-pressure from the disk. */
export async function stageTexts(
  dir: string,
  name: string,
  texts: AsyncIterable<string>,
  signal: AbortSignal,
): Promise<Staged> {
  const path = join(dir, name)
  const file = await open(path, 'w', 0o600)
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

/** Row lines of one kind. */
export interface StagedRows extends Staged {
  /** Number of lines without the header. */
  lines: number
}

/** Splits row lines into one file per kind, so that kinds can be read side by side. */
export async function stageRows(
  dir: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<Record<RowKind, StagedRows>> {
  const path = (kind: RowKind) => join(dir, `${kind}.rows`)
  const files = await Promise.all(rowKinds.map((kind) => open(path(kind), 'w', 0o600)))
  const lines: Record<RowKind, number> = { tag: 0, shape: 0, track: 0 }
  try {
    for (const file of files) await file.appendFile(rowLinesHeader)
    let isFirst = true
    for await (const batch of splitLines(chunks)) {
      signal.throwIfAborted()
      await appendByKind(files, isFirst ? batch.slice(1) : batch, lines)
      isFirst = false
    }
  } finally {
    await Promise.all(files.map((file) => file.close()))
  }
  const staged = (kind: RowKind) => ({ ...readable(path(kind)), lines: lines[kind] })
  return { tag: staged('tag'), shape: staged('shape'), track: staged('track') }
}

/** Lines are latin-1 texts whose characters represent bytes, and are written as those bytes. */
async function appendByKind(
  files: readonly FileHandle[],
  batch: readonly string[],
  lines: Record<RowKind, number>,
): Promise<void> {
  for (const [index, kind] of rowKinds.entries()) {
    const file = files[index]
    const own = batch.filter((line) => line.startsWith(kind))
    lines[kind] += own.length
    if (own.length > 0) await file?.appendFile(Buffer.from(`${own.join('\n')}\n`, 'latin1'))
  }
}

const readable = (path: string): Staged => ({ read: () => readPieces(path) })

/** Opens the file only when the first piece is read. */
async function* readPieces(path: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { highWaterMark: pieceBytes })
}
