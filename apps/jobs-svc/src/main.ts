import { tables } from '@reticle/contracts'
import { openConnection, openGrpcServer } from '@reticle/kit/process/grpc'
import { openObjects } from '@reticle/kit/process/objects'
import { joinBus, migrateCommand, openSchema } from '@reticle/kit/process/pools'
import { type App, runProgram } from '@reticle/kit/process/program'
import { serveAll } from '@reticle/kit/rpc/grpc/listen'
import { environment } from '@reticle/kit/settings/config'
import { processParts } from './config.ts'
import { findDecoder, migrations, type RequestsDb, schema, startJobs } from './index.ts'

/** Starts the API process of jobs-svc: the queue of requests, uploads and pictures. Conversions run in `worker.ts`. */
async function start(app: App<typeof processParts>): Promise<void> {
  const { database, kafka, s3, internal, projects, annotations, webhooks, settings } = app.config
  const { url } = database
  const pools = await openSchema<RequestsDb>(app, 'jobs-svc', url, { schema, migrations })
  const bus = await joinBus(app, 'jobs-svc', kafka)
  const projectsSvc = openConnection(app, internal, projects)
  const annotationsSvc = openConnection(app, internal, annotations)

  const { services, stop } = startJobs({
    ...pools,
    url,
    bus,
    blobs: await openObjects(app, s3),
    log: app.log,
    settings,
    video: await findDecoder(settings),
    services: {
      tasks: projectsSvc.service(tables.tasks),
      organizations: projectsSvc.service(tables.organizations),
      media: projectsSvc.service(tables.media),
      storages: projectsSvc.service(tables.storages),
      annotations: annotationsSvc.service(tables.annotations),
      events: openConnection(app, internal, webhooks).service(tables.events),
    },
  })
  app.onStop('jobs-svc', stop)
  await openGrpcServer(app, internal, (serve) => serveAll(serve, tables, services))
}

process.exit(
  await runProgram({
    service: 'jobs-svc',
    about: 'the queue of imports, exports and media preparation over gRPC',
    env: environment,
    parts: processParts,
    graceMs: 34_000,
    commands: { migrate: migrateCommand({ schema, migrations }) },
    start,
  }),
)
