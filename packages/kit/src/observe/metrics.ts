import { histogram, readGauge } from './registry.ts'

export { metricNames, metricsText, resetMetrics, watchProcess } from './registry.ts'

/**
 * Instruments of every process; a service declares its own ones itself. Buckets are few because each is a time series,
 * and the whole page must stay below 2,000. See docs/spec/reliability.md#observability.
 */

/**
 * Duration of handlers by service; `result` is a status class: `ok`,
 * `refused` (error of the caller) or `failed` (error of the service).
 */
export const rpcSeconds = histogram({
  name: 'reticle_rpc_duration_seconds',
  help: 'Duration of handlers, until the last byte of a streamed response',
  labelNames: ['service', 'operation', 'result'],
  buckets: [0.005, 0.05, 0.5, 5],
})

export const outboxRows = readGauge({
  name: 'reticle_outbox_rows',
  help: 'Committed events that are not yet published',
  labelNames: ['schema'],
})

export const outboxOldestSeconds = readGauge({
  name: 'reticle_outbox_oldest_seconds',
  help: 'Age of the oldest unpublished event; 0 without one',
  labelNames: ['schema'],
})

export const deadEvents = readGauge({
  name: 'reticle_dead_events',
  help: 'Dead events: their handler failed on every attempt',
  labelNames: ['schema'],
})

export const busLag = readGauge({
  name: 'reticle_bus_lag',
  help: 'Events on the bus that the group has not handled yet',
  labelNames: ['group'],
})

export const poolWaiting = readGauge({
  name: 'reticle_pool_waiting',
  help: 'Calls that wait for a connection to the database',
  labelNames: ['pool'],
})

export const blobBytes = readGauge({
  name: 'reticle_blob_bytes',
  help: 'Bytes of registered objects, where their size is known',
  labelNames: ['schema', 'state'],
})

export const blobPendingOldestSeconds = readGauge({
  name: 'reticle_blob_pending_oldest_seconds',
  help: 'Age of the oldest pending object; 0 without one',
  labelNames: ['schema'],
})
