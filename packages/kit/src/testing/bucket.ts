import { randomBytes } from 'node:crypto'
import { Client } from 'minio'
import { afterAll } from 'vitest'
import type { BlobStore } from '../blob/blob.ts'
import { s3Blobs } from '../blob/s3.ts'
import { readTestServers } from './config.ts'

type S3Server = ReturnType<typeof readTestServers>['s3']

/**
 * Creates a bucket for this test file on an S3 server of the vitest project `cluster`, by default MinIO, and removes it
 * after the file.
 */
export async function testBucket(server: S3Server = readTestServers().s3) {
  const bucket = `reticle-test-${randomBytes(6).toString('hex')}`
  const client = clientOf(server)
  const options = { ...server, bucket }
  const blobs: BlobStore = await s3Blobs(options)
  afterAll(async () => {
    await blobs.removeUnfinished(new Date(Date.now() + 3_600_000)) // all, because none began later
    const keys: string[] = []
    for await (const { name } of client.listObjectsV2(bucket, '', true)) keys.push(name)
    await client.removeObjects(bucket, keys)
    await client.removeBucket(bucket)
  })
  /** Returns keys of uploads that were neither completed nor aborted. */
  const unfinished = async () => {
    const { uploads } = await client.listIncompleteUploadsQuery(bucket, '', '', '', '')
    return uploads.map(({ key }) => key)
  }
  return { options, blobs, client, unfinished }
}

function clientOf({ endpoint, ...credentials }: S3Server): Client {
  const { protocol, hostname, port } = new URL(endpoint)
  const address = { endPoint: hostname, port: Number(port), useSSL: protocol === 'https:' }
  return new Client({ ...address, ...credentials })
}
