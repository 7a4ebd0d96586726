import { tables } from '@reticle/contracts'
import { openConnection, openGrpcServer } from '@reticle/kit/process/grpc'
import { joinBus, migrateCommand, openSchema } from '@reticle/kit/process/pools'
import { type App, runProgram } from '@reticle/kit/process/program'
import { serveAll } from '@reticle/kit/rpc/grpc/listen'
import { environment } from '@reticle/kit/settings/config'
import { processParts } from './config.ts'
import { assertSecretsOpen, migrations, schema, startWebhooks, type WebhooksDb } from './index.ts'

/** Runs webhooks-svc as a separate process of a cluster. */
async function start(app: App<typeof processParts>): Promise<void> {
  const { database, kafka, internal, projects, settings } = app.config
  const pools = await openSchema<WebhooksDb>(app, 'webhooks-svc', database.url, {
    schema,
    migrations,
  })
  await assertSecretsOpen(pools.db, settings)
  const bus = await joinBus(app, 'webhooks-svc', kafka)
  const people = openConnection(app, internal, projects)
  const { services, stop } = startWebhooks({
    ...pools,
    bus,
    log: app.log,
    settings,
    services: { tasks: people.service(tables.tasks) },
  })
  app.onStop('webhooks-svc', stop)
  await openGrpcServer(app, internal, (serve) => serveAll(serve, tables, services))
}

process.exit(
  await runProgram({
    service: 'webhooks-svc',
    about: 'webhooks, their deliveries and the log of events over gRPC',
    env: environment,
    parts: processParts,
    graceMs: 24_000,
    commands: { migrate: migrateCommand({ schema, migrations }) },
    start,
  }),
)
