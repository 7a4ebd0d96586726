import { FormatError } from '@reticle/formats/errors'
import type { EmbeddedImage } from '@reticle/formats/model'
import { cutBytes } from '@reticle/kit/pieces'
import type { OperationDeps } from '../operations/operation.ts'
import { type Found, type Listing, listing } from '../sources/found.ts'

/**
 * Pictures that a file has inside of others, which nobody could read where they lie: one behind the other they go into one object,
 * which is there when all of them are, and from there on they are images like others.
 *
 * @throws FormatError for more bytes than an archive may have; DomainError as the object store does
 */
export async function embeddedImages(
  images: AsyncIterable<EmbeddedImage>,
  key: string,
  { blobs, limits, signal }: Pick<OperationDeps, 'blobs' | 'limits' | 'signal'>,
): Promise<Listing> {
  const files: Found[] = []
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
  return listing(files, blobs)
}
