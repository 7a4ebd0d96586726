/** Largest size in bytes of a piece of a stream, between services and from objects. */
export const pieceBytes = 64 * 1024

/** Splits bytes into pieces of at most 64 KiB; none is empty. */
export function* cutBytes(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Pieces of bytes that are already in memory. Reading them never waits, and stopping early releases no resources. */
export class WholeBytes implements AsyncIterable<Uint8Array> {
  readonly #pieces: readonly Uint8Array[]

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const left = this.#pieces.values()
    return { next: () => Promise.resolve(left.next()) }
  }
}

/** Joins short texts to pieces of about 64 KiB. */
export async function* joinTexts(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let piece = ''
  for await (const text of texts) {
    piece += text
    if (piece.length < pieceBytes) continue
    yield Buffer.from(piece)
    piece = ''
  }
  if (piece !== '') yield Buffer.from(piece)
}
