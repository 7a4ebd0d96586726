import type { Subscription } from '@reticle/kit/bus/bus'
import type { WorkerPorts } from '../worker/start.ts'

/** A subscription that nothing ever comes through. */
export const deaf: Subscription = {
  pause: () => undefined,
  resume: () => undefined,
  stop: async () => undefined,
}

/** No message ever arrives: idle workers find their work by looking. */
export const deafBus: WorkerPorts['bus'] = { subscribe: () => deaf }
