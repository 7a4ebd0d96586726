import type { server } from '@reticle/contracts/api/server'
import { listFormats, listLosses } from '@reticle/formats/registry'
import type { Service } from '@reticle/kit'

/** The part of `/server` that this service answers: what can be imported and exported (`spec/api-annotations.md` 3). */
export function formatHandlers(): Pick<Service<typeof server>, 'listFormats' | 'listFormatLosses'> {
  return { listFormats: async () => listFormats(), listFormatLosses: async () => listLosses() }
}
