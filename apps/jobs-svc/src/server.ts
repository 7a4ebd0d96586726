import type { requests } from '@reticle/contracts/api/requests'
import type { server } from '@reticle/contracts/api/server'
import { listFormats, listLosses } from '@reticle/formats/registry'
import type { Service } from '@reticle/kit'
import { backupHandlers } from './backups/rpc.ts'
import type { JobsSettings } from './config.ts'
import { type ExportDeps, exportHandlers } from './exports/rpc.ts'
import { describeHandler } from './limits.ts'
import { type QueueDeps, queueHandlers } from './requests/rpc.ts'
import { shareHandlers } from './storage/share/rpc.ts'
import { fileHandlers } from './uploads/files/rpc.ts'
import { type UploadDeps, uploadHandlers } from './uploads/rpc.ts'
import { sessionHandlers } from './uploads/sessions/rpc.ts'
import type { VideoDecoder } from './video/decoder.ts'

/** Creates all handlers of the request service. */
export const requestHandlers = (
  deps: ExportDeps & UploadDeps & QueueDeps,
): Service<typeof requests> => ({
  ...queueHandlers(deps),
  ...exportHandlers(deps),
  ...backupHandlers(deps),
  ...uploadHandlers(deps),
  ...sessionHandlers(deps),
  ...fileHandlers(deps),
})

/** Creates the handlers of this service's part of `/server`. */
export const aboutHandlers = ({
  settings,
  video,
}: {
  settings: JobsSettings
  video?: Pick<VideoDecoder, 'about'> | undefined
}): Service<typeof server> => ({
  listFormats: async () => listFormats(),
  listFormatLosses: async () => listLosses(),
  ...shareHandlers({ root: settings.shareDir }),
  ...describeHandler({ settings, video }),
})
