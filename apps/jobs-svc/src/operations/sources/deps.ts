import type { ReportWriter } from '@reticle/formats/report/conversion-report'
import type { OperationDeps } from '../operation.ts'
import type { BucketListing } from './bucket-listing.ts'

type OfOperation = 'blobs' | 'limits' | 'signal' | 'progress' | 'shareDir' | 'openDownloads'

/** Dependencies for gathering and reading files. */
export interface SourceDeps extends Pick<OperationDeps, OfOperation> {
  report: ReportWriter
  task_id: number
  /** Cloud storage that the request names. */
  bucket?: BucketListing | undefined
  /** Key prefix of fetched, copied or unpacked files. */
  prefix: string
}

/** Shares of the work done when remote files are fetched, and when all pictures have been read. */
export const gatherShare = 0.5
export const readShare = 0.9
