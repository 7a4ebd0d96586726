import { notFound } from '@reticle/kit'
import type { Bucket } from '@reticle/kit/bucket/bucket'
import type { BucketView } from './content.ts'
import { manifestKeys } from './manifest.ts'
import { mimeTypeOf } from './mime.ts'

/** Limit on pages searched for an image, because a large bucket may contain none. */
const mostPages = 20
const pageSize = 500

/**
 * Returns the key of the first image of a manifest, otherwise of the bucket, searching outer folders before inner
 * ones.
 */
export async function findImage(
  bucket: Bucket,
  { prefix, manifests }: BucketView,
  signal: AbortSignal,
): Promise<string> {
  for (const manifest of manifests)
    for await (const key of manifestKeys(bucket.read(manifest, {}, signal), manifest))
      if (isImage(key)) return key
  const found = await searchLevels(bucket, prefix, signal)
  if (found === undefined) throw notFound('The bucket has no image.')
  return found
}

async function searchLevels(
  bucket: Bucket,
  prefix: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const open: { prefix: string; token?: string }[] = [{ prefix }]
  for (let pages = 0; pages < mostPages; pages++) {
    const level = open.shift()
    if (!level) return undefined
    const { keys, directories, next } = await bucket.list({ ...level, size: pageSize }, signal)
    const image = keys.find(isImage)
    if (image !== undefined) return image
    if (next !== null) open.unshift({ prefix: level.prefix, token: next })
    open.push(...directories.map((one) => ({ prefix: one })))
  }
  return undefined
}

const isImage = (key: string) => mimeTypeOf(key) === 'image'
