import type { annotations } from '@reticle/contracts/api/annotations'
import type { events } from '@reticle/contracts/api/events'
import type { frames } from '@reticle/contracts/api/frames'
import type { keys } from '@reticle/contracts/api/keys'
import type { media } from '@reticle/contracts/api/media'
import type { organizations } from '@reticle/contracts/api/organizations'
import type { requests } from '@reticle/contracts/api/requests'
import type { server } from '@reticle/contracts/api/server'
import type { storages } from '@reticle/contracts/api/storages'
import type { tasks } from '@reticle/contracts/api/tasks'
import type { Service } from '@reticle/kit'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Bus } from '@reticle/kit/bus/bus'
import type { Database } from '@reticle/kit/db/connect'
import { keyHandlers } from '@reticle/kit/keys/keys'
import { watchBlobs, watchOutbox } from '@reticle/kit/observe/database'
import type { Logger } from '@reticle/kit/observe/log'
import { startRelay } from '@reticle/kit/outbox/relay'
import { guardHandlers } from '@reticle/kit/rpc/guard'
import { logBugs } from '@reticle/kit/rpc/observe-calls'
import { type Clock, systemClock } from '@reticle/kit/scheduling/clock'
import { runRepeatedly } from '@reticle/kit/scheduling/repeat'
import type { JobsSettings } from './config.ts'
import { followObjects } from './consumer.ts'
import type { RequestsDb } from './db/schema.ts'
import { openChunks } from './media/chunks/open.ts'
import { createImageDecoder } from './media/frames/decode.ts'
import { createFramePictures } from './media/frames/pictures.ts'
import { frameHandlers } from './media/frames/rpc.ts'
import { watchRequests } from './requests/metrics.ts'
import { aboutHandlers, requestHandlers } from './server.ts'
import type { StorageCalls } from './storage/cloud-storage.ts'
import { withShare } from './storage/share/files.ts'
import { withBuckets } from './storage/with-buckets.ts'
import { sweepStorage } from './sweeper.ts'
import { openVideos } from './video/cache/library.ts'
import { newVideoFolder, removeLeftVideos } from './video/cache/local-copies.ts'
import { withVideos } from './video/cache/with-videos.ts'
import type { VideoDecoder } from './video/decoder.ts'

/** Database schema of this service; no other service uses it. */
export const schema = 'requests'

/** Fields of a `Database` of kit, with its address. */
export interface JobsPorts extends Pick<Database<RequestsDb>, 'db' | 'onCommit'> {
  /** Address with the same role, for the separate session of the outbox relay. */
  url: string
  bus: Bus
  blobs: BlobStore
  log: Logger
  settings: JobsSettings
  services: {
    tasks: Pick<Service<typeof tasks>, 'authorize'>
    organizations: Pick<Service<typeof organizations>, 'findWorkspace'>
    media: Pick<Service<typeof media>, 'locateFrame' | 'locateChunk' | 'readFrames'>
    storages: StorageCalls &
      Pick<Service<typeof storages>, 'readPreviewImage' | 'permitSource' | 'readSourceFile'>
    annotations: Pick<Service<typeof annotations>, 'getRevision'>
    events: Pick<Service<typeof events>, 'permitEventExport'>
  }
  /** Video decoder; undefined: videos are unsupported. */
  video?: VideoDecoder | undefined
  clock?: Clock
}

export interface Jobs {
  services: {
    requests: Service<typeof requests>
    frames: Service<typeof frames>
    server: Service<typeof server>
    keys: Service<typeof keys>
  }
  stop: () => Promise<void>
}

/** Service name in metrics and traces. */
const name = 'jobs-svc'

const hourMs = 3_600_000

/** Starts the API process: the queue, uploads, pictures and formats. Conversions run in workers (`startWorker`). */
export function startJobs(ports: JobsPorts): Jobs {
  const { db, bus, blobs, log, settings, services, clock = systemClock } = ports
  const { resultTtlHours, uploadTtlHours, chunkTtlHours } = settings
  const onError = (thrown: unknown) => log.error({ err: thrown }, 'jobs-svc background task failed')
  const onBug = logBugs(log)

  const relay = startRelay({ url: ports.url, schema, bus, onError })
  const forget = ports.onCommit(relay.wake)
  const handle = followObjects(resultTtlHours)
  const group = { group: 'reticle.jobs', topic: 'reticle.events.v1' } as const
  const subscription = bus.subscribe({ ...group, db, handle })
  const swept = { db, blobs, clock, log, uploadTtlHours, chunkTtlHours }
  const stopSweeping = runRepeatedly(
    hourMs,
    (signal) => sweepStorage({ ...swept, signal }),
    onError,
  )
  const shared = withBuckets(withShare(blobs, settings.shareDir), services.storages)
  const folder = newVideoFolder(settings.tmpDir)
  const mostBytes = settings.videoCacheBytes
  const findDecoder = async () => ports.video
  const videos = openVideos({ blobs: shared, findDecoder, folder, mostBytes })
  removeLeftVideos(settings.tmpDir, folder).catch(onError)
  const sources = withVideos(shared, videos)
  const decode = createImageDecoder()
  const pictures = createFramePictures({ db, blobs: sources, decode })
  const chunks = openChunks({ db, blobs: sources, decode, media: services.media })
  const unwatch = [watchOutbox(db, schema), watchBlobs(db, schema), watchRequests(db)]

  return {
    services: {
      requests: guardHandlers(requestHandlers({ db, services, settings }), onBug, name),
      frames: guardHandlers(
        frameHandlers({ services, blobs: sources, pictures, chunks }),
        onBug,
        name,
      ),
      server: guardHandlers(aboutHandlers({ settings, video: ports.video }), onBug, name),
      keys: guardHandlers<typeof keys>(keyHandlers(db), onBug, name),
    },
    stop: async () => {
      for (const stop of unwatch) stop()
      await subscription.stop()
      await stopSweeping()
      await chunks.stop()
      await videos.close()
      forget()
      await relay.stop()
    },
  }
}
