import type { S3Server } from '@reticle/kit/testing/s3-server'
import type { Client, ClientOptions } from '@reticle/sdk'

/** Server and clients of the operation tests. */
export interface SdkWorld {
  url: string
  dataDir: string
  buckets: S3Server
  admin: Client
  anyone: Client
  as(who: Pick<ClientOptions, 'token' | 'basic'>): Client
}
