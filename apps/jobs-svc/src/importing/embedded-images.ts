import type { EmbeddedImage } from '@reticle/formats/model/dataset'
import { FormatError } from '@reticle/formats/report/errors'
import { cutBytes } from '@reticle/kit/call/pieces'
import type { OperationDeps } from '../operations/operation.ts'
import {
  createSourceListing,
  type SourceFile,
  type SourceListing,
} from '../sources/source-listing.ts'

/**
 * Writes pictures that are embedded in other files, where they cannot be read in place, one after the other into one
 * object. It exists when all of them are written; then they are images like others.
 *
 * @throws FormatError for more bytes than an archive may have; DomainError as the object store does
 */
export async function embeddedImages(
  images: AsyncIterable<EmbeddedImage>,
  key: string,
  { blobs, limits, signal }: Pick<OperationDeps, 'blobs' | 'limits' | 'signal'>,
): Promise<SourceListing> {
  const files: SourceFile[] = []
  async function* behindOneAnother(): AsyncGenerator<Uint8Array> {
    let offset = 0
    for await (const { name, content } of images) {
      const { length } = content
      if (offset + length > limits.bytes)
        throw new FormatError(`the images have more than ${limits.bytes} bytes`)
      files.push({ name, size: length, key, offset, length, packing: 'stored' })
      offset += length
      yield* cutBytes(content)
    }
  }
  await blobs.put(key, behindOneAnother(), { signal })
  return createSourceListing(files, blobs)
}
