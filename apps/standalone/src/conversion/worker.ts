import { EventEmitter, once } from 'node:events'
import * as jobs from '@reticle/jobs-svc'
import { createLog } from '@reticle/kit/observe/log'
import { startTraces } from '@reticle/kit/observe/traces'
import { type OnStop, runProcess } from '@reticle/kit/process/lifecycle'
import { openPool } from '@reticle/kit/process/pools'
import { kafkaSettings } from '@reticle/kit/process/settings'
import { z } from 'zod'
import { openObjects } from '../data-dir/objects.ts'
import { openBus } from '../services.ts'
import { standaloneWiringOptions } from './convert-wiring.ts'

/**
 * Conversion process of the single-process mode, forked by `conversion.ts`. It holds leases and slots, and runs each
 * conversion in a converter. It exits with its parent in every case; the next start requeues its requests.
 */
const toWorker = z.object({
  urls: z.object({
    projects: z.string(),
    annotations: z.string(),
    requests: z.string(),
    webhooks: z.string(),
    bus: z.string(),
  }),
  kafka: kafkaSettings.optional(),
  wiring: standaloneWiringOptions,
})
export type ToWorker = z.infer<typeof toWorker>

process.on('disconnect', () => process.exit(1))
// A Ctrl-C reaches this process too, but its parent decides when to stop.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => undefined)

const [given] = await once(process, 'message')
const { urls, kafka, wiring } = toWorker.parse(given)
const log = createLog('worker', wiring.log)
const signals = new EventEmitter()
process.on('message', () => signals.emit('SIGTERM'))

async function start(onStop: OnStop): Promise<void> {
  const traces = await startTraces({ service: 'reticle worker', endpoint: wiring.traces })
  onStop('traces', traces.stop)
  const ports = { urls, kafka, log, onStop }
  const { db } = openPool<jobs.RequestsDb>(ports, 'worker', urls.requests)
  const worker = await jobs.startWorker({
    db,
    bus: await openBus(ports),
    blobs: await openObjects(wiring.objects),
    log,
    settings: jobs.readConfig(wiring.env),
    wiring: { module: new URL('./convert-wiring.js', import.meta.url).href, options: wiring },
  })
  onStop('worker', worker.stop)
  process.send?.('ready')
}

const onError = (part: string, err: unknown) => log.error({ err, part }, 'worker')
const code = await runProcess(start, { onError, signals })
process.exit(code)
