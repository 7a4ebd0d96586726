import { BlobServiceClient } from '@azure/storage-blob'
import { Kafka, logLevel } from 'kafkajs'
import { Client as MinioClient } from 'minio'
import pg from 'pg'

/** Checks whether a server can be used, with the same libraries as the product. */

export async function kafkaAnswers(broker: string): Promise<boolean> {
  process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1'
  const once = { connectionTimeout: 1000, requestTimeout: 5000, retry: { retries: 0 } }
  const kafka = new Kafka({ brokers: [broker], logLevel: logLevel.NOTHING, ...once })
  const admin = kafka.admin()
  try {
    await admin.connect()
    const { brokers } = await admin.describeCluster()
    return brokers.length === 1
  } finally {
    await admin.disconnect()
  }
}

interface S3Address {
  host?: string
  port: number
  accessKey: string
  secretKey: string
}

export async function minioAnswers(address: S3Address): Promise<boolean> {
  const { host = '127.0.0.1', port } = address
  const { ok } = await fetch(`http://${host}:${port}/minio/health/ready`)
  return ok && s3Answers(address)
}

export async function s3Answers({
  host = '127.0.0.1',
  port,
  accessKey,
  secretKey,
}: S3Address): Promise<boolean> {
  const address = { endPoint: host, port, useSSL: false, region: 'us-east-1' }
  await new MinioClient({ ...address, accessKey, secretKey }).listBuckets()
  return true
}

export async function azureAnswers(connection: string): Promise<boolean> {
  const once = { retryOptions: { maxTries: 1, tryTimeoutInMs: 3000 } }
  const service = BlobServiceClient.fromConnectionString(connection, once)
  await service.listContainers().next()
  return true
}

export async function gcsAnswers(url: string): Promise<boolean> {
  const { ok } = await fetch(`${url}/storage/v1/b?project=reticle`)
  return ok
}

export async function postgresAnswers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } finally {
    await client.end().catch(() => undefined)
  }
}
