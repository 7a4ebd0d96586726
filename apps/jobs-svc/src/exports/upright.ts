import type { FrameSource } from '@reticle/contracts/rest/media'
import { isUndecodable, readSource } from '../media/frames/source.ts'
import { turnUpright } from '../media/upright.ts'
import type { OperationDeps } from '../operations/operation.ts'
import { UnusableInput } from '../work/errors.ts'

/**
 * Reads a picture upright. A member of an archive may be broken after its header, which is all that the upload checks.
 */
export async function* readUpright(
  blobs: OperationDeps['blobs'],
  source: FrameSource,
): AsyncGenerator<Uint8Array> {
  try {
    yield* turnUpright(readSource(blobs, source))
  } catch (thrown) {
    throw isUndecodable(thrown)
      ? new UnusableInput(`${source.name}: the image cannot be unpacked, or is no image`)
      : thrown
  }
}
