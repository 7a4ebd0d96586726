import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { ContainerClient } from '@azure/storage-blob'
import { Storage } from '@google-cloud/storage'
import { afterAll } from 'vitest'
import { readNets } from '../outgoing/guard.ts'
import { testBucket } from '../testing/bucket.ts'
import { readTestEmulators } from '../testing/config.ts'
import { readConnectionString } from './address.ts'
import { bucketContract, contractObjects } from './contract.ts'
import { bucketOpener } from './open.ts'

/** Runs the contract on a real MinIO and on the emulators of Azure and Google. */

const { azure, google } = readTestEmulators()
const name = `frames-${randomBytes(6).toString('hex')}`
const open = bucketOpener({ nets: readNets(['127.0.0.0/8']) })
const objects = Object.entries(contractObjects)

const { options, client, unfinished } = await testBucket()
for (const [key, text] of objects) await client.putObject(options.bucket, key, text)
const s3 = {
  provider: 's3' as const,
  endpoint: options.endpoint,
  credentials: { key: options.accessKey, secret: options.secretKey },
}
const [minio, noMinio] = await Promise.all([
  open({ ...s3, bucket: options.bucket }),
  open({ ...s3, bucket: 'nothing-here' }),
])
bucketContract('MinIO', { bucket: () => minio, missing: () => noMinio, unfinished })

const container = new ContainerClient(azure, name)
await container.create()
afterAll(() => container.delete())
for (const [key, text] of objects)
  await container.getBlockBlobClient(key).upload(text, Buffer.byteLength(text))
const account = readConnectionString(azure)
const [azurite, noAzurite] = await Promise.all([
  open({ ...account, bucket: name }),
  open({ ...account, bucket: 'nothing-here' }),
])
bucketContract('Azurite', {
  bucket: () => azurite,
  missing: () => noAzurite,
  lacks: ['takes any token'],
})

const [bucket] = await new Storage({ apiEndpoint: google, projectId: 'reticle' }).createBucket(name)
for (const [key, text] of objects)
  await bucket.file(key).save(Readable.from([text]), { resumable: false, validation: false })
const played = { provider: 'google' as const, endpoint: google }
const [gcs, noGcs] = await Promise.all([
  open({ ...played, bucket: name }),
  open({ ...played, bucket: 'nothing-here' }),
])
bucketContract('the emulator of Google', {
  bucket: () => gcs,
  missing: () => noGcs,
  lacks: ['takes any token', 'counts no folders', 'knows no rights'],
})
