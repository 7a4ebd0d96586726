import type { Subscription } from '@reticle/kit/bus/bus'
import type { WorkerPorts } from '../worker/start.ts'

/** Subscription without any messages. */
export const deaf: Subscription = {
  pause: () => undefined,
  resume: () => undefined,
  stop: async () => undefined,
}

/** Bus without any messages: idle workers find their work by polling. */
export const deafBus: WorkerPorts['bus'] = { subscribe: () => deaf }
