import { cpus, tmpdir } from 'node:os'
import { archiveLimits } from '@reticle/formats/archive/zip-reader'
import { netsSetting } from '@reticle/kit/outgoing/guard'
import { egressProxy } from '@reticle/kit/outgoing/tunnel'
import {
  addressPart,
  databasePart,
  internalPart,
  kafkaNeeded,
  s3Needed,
} from '@reticle/kit/process/settings'
import { setting } from '@reticle/kit/settings/config'
import { defineSettings } from '@reticle/kit/settings/parts'
import { z } from 'zod'

/** Reads the settings of the API process and of its workers. */
export const readConfig = defineSettings(
  z.object({
    RETICLE_JOBS_SLOTS: setting.whole(Math.max(1, cpus().length - 1), 1),
    RETICLE_JOBS_HEAP_MIB: setting.whole(1024, 128),
    RETICLE_JOBS_TENANT_CONCURRENCY: setting.whole(4, 1),
    RETICLE_JOBS_QUEUED_PER_USER: setting.whole(1000, 1),
    RETICLE_JOBS_QUEUED_PER_TENANT: setting.whole(10_000, 1),
    RETICLE_JOBS_RESULT_TTL_HOURS: setting.whole(24, 1),
    RETICLE_JOBS_UPLOAD_TTL_HOURS: setting.whole(12, 1),
    RETICLE_JOBS_UPLOAD_BYTES_PER_USER: setting.whole(200 * 1024 ** 3, 1),
    RETICLE_JOBS_CHUNK_TTL_HOURS: setting.whole(168, 1),
    RETICLE_JOBS_ARCHIVE_ENTRIES: setting.whole(archiveLimits.entries, 1),
    RETICLE_JOBS_ARCHIVE_BYTES: setting.whole(archiveLimits.bytes, 1),
    RETICLE_JOBS_ARCHIVE_RATIO: setting.whole(archiveLimits.ratio, 1),
    RETICLE_JOBS_ALLOWED_NETS: netsSetting,
    RETICLE_EGRESS_PROXY: egressProxy,
    RETICLE_JOBS_REMOTE_BYTES: setting.whole(25 * 1024 ** 3, 1),
    RETICLE_JOBS_FFMPEG_PATH: z.string().optional(),
    RETICLE_JOBS_VIDEO_CACHE_BYTES: setting.whole(25 * 1024 ** 3, 1),
    RETICLE_SHARE_DIR: z.string().optional(),
    RETICLE_TMP_DIR: z.string().default(tmpdir()),
  }),
  (parsed) => ({
    /** Concurrent conversions in one worker. */
    slots: parsed.RETICLE_JOBS_SLOTS,
    /** Heap limit of one conversion. */
    heapMib: parsed.RETICLE_JOBS_HEAP_MIB,
    /** Concurrent requests of one tenant. */
    tenantConcurrency: parsed.RETICLE_JOBS_TENANT_CONCURRENCY,
    queuedPerUser: parsed.RETICLE_JOBS_QUEUED_PER_USER,
    queuedPerTenant: parsed.RETICLE_JOBS_QUEUED_PER_TENANT,
    resultTtlHours: parsed.RETICLE_JOBS_RESULT_TTL_HOURS,
    /** Lifetime of unused uploads. */
    uploadTtlHours: parsed.RETICLE_JOBS_UPLOAD_TTL_HOURS,
    /** Quota of unused uploads per user. */
    uploadBytesPerUser: parsed.RETICLE_JOBS_UPLOAD_BYTES_PER_USER,
    /** Lifetime of unused chunks. */
    chunkTtlHours: parsed.RETICLE_JOBS_CHUNK_TTL_HOURS,
    tmpDir: parsed.RETICLE_TMP_DIR,
    /** Program that decodes videos, with ffprobe beside it; absent: it is searched (`video/find.ts`). */
    ffmpegPath: parsed.RETICLE_JOBS_FFMPEG_PATH,
    /** Bytes of local copies of videos, per process that makes them; larger videos are refused. */
    videoCacheBytes: parsed.RETICLE_JOBS_VIDEO_CACHE_BYTES,
    /** Folder whose files users may name instead of uploading them; absent: none. */
    shareDir: parsed.RETICLE_SHARE_DIR,
    /** Non-public networks (CIDR) from which remote files may be fetched. */
    allowedNets: parsed.RETICLE_JOBS_ALLOWED_NETS,
    /** Proxy for remote files, with its credentials; absent: none. */
    egressProxy: parsed.RETICLE_EGRESS_PROXY,
    /** Size limit of one remote file. */
    remoteBytes: parsed.RETICLE_JOBS_REMOTE_BYTES,
    /** Limits of archives that are read. */
    limits: {
      entries: parsed.RETICLE_JOBS_ARCHIVE_ENTRIES,
      bytes: parsed.RETICLE_JOBS_ARCHIVE_BYTES,
      ratio: parsed.RETICLE_JOBS_ARCHIVE_RATIO,
    },
  }),
)
export type JobsSettings = ReturnType<typeof readConfig>

/** Configuration parts of the API process and of the workers. */
export const processParts = {
  settings: readConfig,
  database: databasePart('JOBS'),
  kafka: kafkaNeeded,
  s3: s3Needed,
  internal: internalPart,
  projects: addressPart('PROJECTS'),
  annotations: addressPart('ANNOTATIONS'),
  webhooks: addressPart('WEBHOOKS'),
}
