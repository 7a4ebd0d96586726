import { tables } from '@reticle/contracts'
import { openConnection, openGrpcServer } from '@reticle/kit/process/grpc'
import { joinBus, migrateCommand, openSchema } from '@reticle/kit/process/pools'
import { type App, runProgram } from '@reticle/kit/process/program'
import { serveAll } from '@reticle/kit/rpc/grpc/listen'
import { environment } from '@reticle/kit/settings/config'
import { processParts } from './config.ts'
import { type AnnotationsDb, migrations, plans, schema, startAnnotations } from './index.ts'

/** Runs annotations-svc as a separate process of a cluster. */
async function start(app: App<typeof processParts>): Promise<void> {
  const { database, kafka, internal, projects, settings } = app.config
  const { url } = database
  const options = { schema, migrations, plans }
  const pools = await openSchema<AnnotationsDb>(app, 'annotations-svc', url, options)
  const bus = await joinBus(app, 'annotations-svc', kafka)
  const people = openConnection(app, internal, projects)

  const { services, stop } = startAnnotations({
    ...pools,
    url,
    bus,
    log: app.log,
    settings,
    services: {
      tasks: people.service(tables.tasks),
      labels: people.service(tables.labels),
      media: people.service(tables.media),
    },
  })
  app.onStop('annotations-svc', stop)
  await openGrpcServer(app, internal, (serve) => serveAll(serve, tables, services))
}

process.exit(
  await runProgram({
    service: 'annotations-svc',
    about: 'tags, shapes and tracks over gRPC',
    env: environment,
    parts: processParts,
    graceMs: 34_000,
    commands: { migrate: migrateCommand({ schema, migrations }) },
    start,
  }),
)
