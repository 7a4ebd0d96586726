import { createRequire } from 'node:module'

/** Checks whether a server can be used, with the same libraries as the product (those of kit). */

const fromKit = createRequire(new URL('../../packages/kit/package.json', import.meta.url))

export async function kafkaAnswers(broker) {
  process.env.KAFKAJS_NO_PARTITIONER_WARNING = '1'
  const { Kafka, logLevel } = fromKit('kafkajs')
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

export async function minioAnswers({ host = '127.0.0.1', port, accessKey, secretKey }) {
  const { ok } = await fetch(`http://${host}:${port}/minio/health/ready`)
  return ok && s3Answers({ host, port, accessKey, secretKey })
}

export async function s3Answers({ host = '127.0.0.1', port, accessKey, secretKey }) {
  const { Client } = fromKit('minio')
  const address = { endPoint: host, port, useSSL: false, region: 'us-east-1' }
  await new Client({ ...address, accessKey, secretKey }).listBuckets()
  return true
}

export async function azureAnswers(connection) {
  const { BlobServiceClient } = fromKit('@azure/storage-blob')
  const once = { retryOptions: { maxTries: 1, tryTimeoutInMs: 3000 } }
  const service = BlobServiceClient.fromConnectionString(connection, once)
  await service.listContainers().next()
  return true
}

export async function gcsAnswers(url) {
  const { ok } = await fetch(`${url}/storage/v1/b?project=reticle`)
  return ok
}

export async function postgresAnswers(url) {
  const { Client } = fromKit('pg')
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 3000 })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query('select 1')
    return true
  } finally {
    await client.end().catch(() => undefined)
  }
}
