import { openObjects } from '@reticle/kit/process/objects'
import { joinBus, openSchema } from '@reticle/kit/process/pools'
import { type App, runProgram } from '@reticle/kit/process/program'
import { environment } from '@reticle/kit/settings/config'
import { processParts } from './config.ts'
import type { ClusterWiringOptions } from './convert-wiring.ts'
import { migrations, type RequestsDb, schema, startWorker } from './index.ts'

/** Time in milliseconds for running conversions to finish when the worker is stopped. */
const drainMs = 90_000

/**
 * Starts a conversion worker of a cluster: leases requests and converts in separate processes; scaled independently.
 */
async function start(app: App<typeof processParts>): Promise<void> {
  const { database, kafka, s3, internal, projects, annotations, webhooks, settings } = app.config
  const { db } = await openSchema<RequestsDb>(app, 'worker', database.url, { schema, migrations })
  const options: ClusterWiringOptions = {
    s3,
    keys: internal.keys,
    tls: internal.tls,
    traces: app.settings.traces,
    addresses: { projects, annotations, webhooks },
  }
  const worker = await startWorker({
    db,
    bus: await joinBus(app, 'worker', kafka),
    blobs: await openObjects(app, s3),
    log: app.log,
    settings,
    wiring: { module: new URL('./convert-wiring.js', import.meta.url).href, options },
    timing: { drainMs },
  })
  app.onStop('worker', worker.stop)
}

process.exit(
  await runProgram({
    service: 'jobs-worker',
    about: 'converts datasets and prepares media',
    env: environment,
    parts: processParts,
    graceMs: 113_000,
    start,
  }),
)
