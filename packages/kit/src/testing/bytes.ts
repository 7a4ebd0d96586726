/** Yields a piece for each text or buffer. */
export async function* bytesOf(
  ...given: readonly (string | Uint8Array)[]
): AsyncGenerator<Uint8Array> {
  for (const piece of given) yield Buffer.from(piece)
}

/** Yields bytes in pieces of one size, which may split characters and lines. */
export async function* cutBytes(
  given: string | Uint8Array,
  size: number,
): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(given)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** Collects all bytes of a stream. */
export async function readAllBytes(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}
