import { createRequire } from 'node:module'

interface RequestQueue {
  pending: unknown[]
  throttleCheckTimeoutId: NodeJS.Timeout | null
  scheduleCheckPendingRequests(): void
}
type Queue = { new (options: object): RequestQueue; prototype: RequestQueue }

/** The queue of requests that kafkajs has for each connection. */
export const RequestQueue: Queue = createRequire(import.meta.url)(
  'kafkajs/src/network/requestQueue',
)

/**
 * kafkajs 2.2.4 looks once a millisecond whether a queue without requests may send one by now (tulios/kafkajs#1556): up to
 * a tenth of a core for every process that has nothing to do. Nothing has to be looked for where nothing waits: a request
 * that must wait begins to look by itself.
 */
export function restEmptyQueues({ prototype }: Queue): void {
  const { scheduleCheckPendingRequests } = prototype
  prototype.scheduleCheckPendingRequests = function schedule() {
    if (this.pending.length > 0) scheduleCheckPendingRequests.call(this)
  }
}
