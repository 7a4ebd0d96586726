import type { server } from '@reticle/contracts/api/server'
import { listFormats, listLosses } from '@reticle/formats/registry'
import type { Service } from '@reticle/kit'

/** Creates the handlers of `/server` that list the import and export formats. */
export function formatHandlers(): Pick<Service<typeof server>, 'listFormats' | 'listFormatLosses'> {
  return { listFormats: async () => listFormats(), listFormatLosses: async () => listLosses() }
}
