import type { server } from '@reticle/contracts/api/server'
import type { Service } from '@reticle/kit'
import type { JobsSettings } from './config.ts'
import { largestImageBytes, largestPixels } from './media/image.ts'
import { mostPagePixels } from './media/pdf/page-size.ts'
import { mostPages, mostPdfBytes } from './media/pdf/reader.ts'
import { listReadableMedia } from './media/sniff.ts'
import { mostStreams } from './requests/follow.ts'
import { longestWait, mostWaits } from './requests/wait.ts'
import { mostFrames, mostPixels, type VideoDecoder } from './video/decoder.ts'
import { hardLimitMs } from './work/request-work.ts'

const second = 1000

/** Creates the handler of this service's part of `GET /server/limits` and `GET /server/capabilities`. */
export function describeHandler({
  settings,
  video,
}: {
  settings: JobsSettings
  video?: Pick<VideoDecoder, 'about'> | undefined
}): Pick<Service<typeof server>, 'describe'> {
  const limits = {
    queued_requests_per_user: settings.queuedPerUser,
    queued_requests_per_tenant: settings.queuedPerTenant,
    running_requests_per_tenant: settings.tenantConcurrency,
    request_seconds: hardLimitMs / second,
    request_wait_seconds: longestWait / second,
    request_waits_per_user: mostWaits,
    request_streams_per_user: mostStreams,
    result_hours: settings.resultTtlHours,
    upload_hours: settings.uploadTtlHours,
    upload_bytes_per_user: settings.uploadBytesPerUser,
    chunk_hours: settings.chunkTtlHours,
    archive_entries: settings.limits.entries,
    archive_bytes: settings.limits.bytes,
    archive_ratio: settings.limits.ratio,
    remote_file_bytes: settings.remoteBytes,
    image_pixels: largestPixels,
    image_bytes: largestImageBytes,
    pdf_bytes: mostPdfBytes,
    pdf_pages: mostPages,
    pdf_page_pixels: mostPagePixels,
    ...(video && { video_pixels: mostPixels, video_frames: mostFrames }),
  }
  const { media, image_types } = listReadableMedia()
  const features = { share: settings.shareDir !== undefined }
  const facts = { limits, features, image_types }
  if (!video) return { describe: async () => ({ ...facts, media }) }
  const video_decoder = video.about.adapter
  return { describe: async () => ({ ...facts, media: [...media, 'video'], video_decoder }) }
}
