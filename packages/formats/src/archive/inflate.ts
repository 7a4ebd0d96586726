import { Readable, type Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { FormatError } from '../report/errors.ts'

/**
 * Unpacks `packed` with a transform of `node:zlib`.
 * @throws the error that `fault` creates for bytes that cannot be unpacked; errors of `packed` pass through unchanged
 */
export async function* inflateBytes(
  packed: AsyncIterable<Uint8Array>,
  unpacker: Transform,
  fault: () => FormatError,
): AsyncGenerator<Uint8Array> {
  let failure: unknown
  const fed = pipeline(Readable.from(packed), unpacker).catch((error: unknown) => {
    failure = error
  })
  try {
    yield* unpacker
  } catch (error) {
    if (failure instanceof FormatError) throw failure
    throw isZlibError(error) ? fault() : error
  } finally {
    unpacker.destroy()
    await fed
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}
