import type { ReportWriter } from '@reticle/formats/report'
import type { Bucket } from '../buckets/listing.ts'
import type { OperationDeps } from '../operations/operation.ts'

type OfOperation = 'blobs' | 'limits' | 'signal' | 'progress' | 'shareDir' | 'openDownloads'

/** What files are gathered and read with. */
export interface SourceDeps extends Pick<OperationDeps, OfOperation> {
  report: ReportWriter
  task_id: number
  /** Of the cloud storage that the request names. */
  bucket?: Bucket | undefined
  /** Below this key lies what is fetched, copied or unpacked. */
  prefix: string
}

/** Shares of the work after which files from elsewhere are here, and after which all pictures have been looked at. */
export const gatherShare = 0.5
export const readShare = 0.9
