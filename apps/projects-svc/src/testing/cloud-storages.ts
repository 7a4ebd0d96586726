import { readNets } from '@reticle/kit/outgoing/guard'
import { newSecretKey, secretBox } from '@reticle/kit/settings/secrets'
import { type S3Server, startS3 } from '@reticle/kit/testing/s3-server'
import { afterAll } from 'vitest'
import { readConfig } from '../config.ts'
import type { ServerDeps } from '../server.ts'
import { testOrganizations } from './organizations.ts'

export interface TestBucket {
  name: string
  objects: Map<string, Buffer>
}

/** Sets up a workspace with organizations, and an S3 server whose buckets can be connected. */
export async function testCloudStorages(given: Pick<ServerDeps, 'openBucket'> = {}) {
  const store = await startS3()
  afterAll(store.close)
  const settings = {
    ...readConfig({}),
    cloudStorages: {
      allowedNets: readNets(['127.0.0.0/8']),
      administratorNets: readNets(['10.0.0.0/8', '127.0.0.0/8']),
      egressProxy: undefined,
    },
  }
  const secrets = secretBox(newSecretKey('k1'))
  const workspace = await testOrganizations(settings, { secrets, ...given })
  return {
    ...workspace,
    settings,
    secrets,
    store,
    addBucket: addingBuckets(store),
    bodyOf: bodiesFor(store),
  }
}

function addingBuckets({ buckets }: S3Server) {
  let count = 0
  return (objects: Record<string, string> = {}): TestBucket => {
    const name = `frames-${++count}`
    const stored = new Map(Object.entries(objects).map(([key, text]) => [key, Buffer.from(text)]))
    buckets.set(name, stored)
    return { name, objects: stored }
  }
}

const bodiesFor =
  ({ url, key, secret: secret_key }: S3Server) =>
  (bucket: string) => ({
    provider_type: 'AWS_S3_BUCKET' as const,
    resource: bucket,
    display_name: 'Raw frames',
    credentials_type: 'KEY_SECRET_KEY_PAIR' as const,
    key,
    secret_key,
    specific_attributes: `endpoint_url=${encodeURIComponent(url)}`,
  })
