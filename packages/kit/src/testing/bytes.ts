/** Bytes as they stream: a piece for each text or buffer. */
export async function* bytesOf(
  ...given: readonly (string | Uint8Array)[]
): AsyncGenerator<Uint8Array> {
  for (const piece of given) yield Buffer.from(piece)
}

/** Bytes in pieces of one size, which end in awkward places. */
export async function* cutBytes(
  given: string | Uint8Array,
  size: number,
): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(given)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** All bytes of a stream. */
export async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}
