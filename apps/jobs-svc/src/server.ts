import type { requests } from '@reticle/contracts/api/requests'
import type { Service } from '@reticle/kit'
import { type ExportDeps, exportHandlers } from './exports/rpc.ts'
import { queueHandlers } from './requests/rpc.ts'
import { type UploadDeps, uploadHandlers } from './uploads/rpc.ts'

/** Table of contents: which handlers answer the table of requests. */
export const requestHandlers = (deps: ExportDeps & UploadDeps): Service<typeof requests> => ({
  ...queueHandlers(deps),
  ...exportHandlers(deps),
  ...uploadHandlers(deps),
})
