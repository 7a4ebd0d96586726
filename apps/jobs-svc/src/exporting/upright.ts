import type { FrameSource } from '@reticle/contracts/rest/media'
import { isUndecodable, readSource } from '../frames/source.ts'
import { upright } from '../media/upright.ts'
import { type OperationDeps, UnusableInput } from '../operations/operation.ts'

/** A member of an archive may be broken behind its head, which was all that was looked at when it was uploaded. */
export async function* readUpright(
  blobs: OperationDeps['blobs'],
  source: FrameSource,
): AsyncGenerator<Uint8Array> {
  try {
    yield* upright(readSource(blobs, source))
  } catch (thrown) {
    throw isUndecodable(thrown)
      ? new UnusableInput(`${source.name}: the image cannot be unpacked, or is no image`)
      : thrown
  }
}
