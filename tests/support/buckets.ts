import type { S3Server } from '@reticle/kit/testing/s3-server'
import type { AnyJson } from './client.ts'

/** Creates a bucket with these objects on a test store; returns the body that connects it. */
export function bucketOf(
  { buckets, url, key, secret }: S3Server,
  name: string,
  objects: Record<string, string | Uint8Array> = {},
): AnyJson {
  const stored = Object.entries(objects).map(([path, bytes]) => [path, Buffer.from(bytes)] as const)
  buckets.set(name, new Map(stored))
  return {
    provider_type: 'AWS_S3_BUCKET',
    resource: name,
    display_name: 'Raw frames',
    credentials_type: 'KEY_SECRET_KEY_PAIR',
    key,
    secret_key: secret,
    specific_attributes: `endpoint_url=${encodeURIComponent(url)}`,
  }
}
