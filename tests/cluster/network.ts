import { type Proxy as FaultyProxy, openProxy } from '@reticle/kit/testing/proxy'
import { partSetting } from '../support/parts.ts'

/** Proxies between a system and its database and object store, which simulate a bad network. */
export interface Network {
  /** The settings `RETICLE_TEST_*` of the run, with addresses that lead through a proxy. */
  settings: Record<string, string | undefined>
  database: FaultyProxy
  objects: FaultyProxy
  each: (change: (proxy: FaultyProxy) => void) => void
  close: () => Promise<void>
}

export async function openNetwork(): Promise<Network> {
  const [database, databaseUrl] = await inFrontOf('RETICLE_TEST_DATABASE_URL')
  const [objects, objectsUrl] = await inFrontOf('RETICLE_TEST_S3_ENDPOINT')
  const both = [database, objects]
  return {
    settings: {
      ...process.env,
      RETICLE_TEST_DATABASE_URL: databaseUrl,
      RETICLE_TEST_S3_ENDPOINT: objectsUrl.replace(/\/$/, ''),
    },
    database,
    objects,
    each: (change) => both.forEach(change),
    close: async () => {
      await Promise.all(both.map((proxy) => proxy.close()))
    },
  }
}

async function inFrontOf(name: `RETICLE_TEST_${string}`): Promise<[FaultyProxy, string]> {
  const url = new URL(partSetting(name))
  const proxy = await openProxy({ host: url.hostname, port: Number(url.port) })
  url.hostname = '127.0.0.1'
  url.port = String(proxy.port)
  return [proxy, url.href]
}
