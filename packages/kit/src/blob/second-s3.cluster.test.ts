import { testBucket } from '../testing/bucket.ts'
import { readSecondS3 } from '../testing/config.ts'
import { blobContract } from './testing/contract.ts'

/** The object store on a maintained S3 server other than MinIO, whose repository is archived. */

const { blobs } = await testBucket(readSecondS3())

blobContract('Versity S3 Gateway', blobs)
