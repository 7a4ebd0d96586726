import { tables } from '@reticle/contracts'
import { openGrpcServer } from '@reticle/kit/process/grpc'
import { openObjects } from '@reticle/kit/process/objects'
import { joinBus, migrateCommand, openSchema } from '@reticle/kit/process/pools'
import { type App, runProgram } from '@reticle/kit/process/program'
import { serveAll } from '@reticle/kit/rpc/grpc/listen'
import { environment } from '@reticle/kit/settings/config'
import { secretBox } from '@reticle/kit/settings/secrets'
import { processParts } from './config.ts'
import {
  assertSecretsOpen,
  ensureAdministrator,
  migrations,
  type ProjectsDb,
  schema,
  smtpMailer,
  startProjects,
} from './index.ts'

/** Starts projects-svc as its own process of a cluster: users, organizations and the workspace. */
async function start(app: App<typeof processParts>): Promise<void> {
  const { database, kafka, s3, internal, admin, secretKeys, settings } = app.config
  const { url } = database
  const pools = await openSchema<ProjectsDb>(app, 'projects-svc', url, { schema, migrations })
  await assertSecretsOpen(pools.db, secretKeys)
  const bus = await joinBus(app, 'projects-svc', kafka)
  const { password } = admin
  if (password) await ensureAdministrator(pools.db, { ...admin, password })

  const { services, stop } = startProjects({
    ...pools,
    url,
    bus,
    blobs: await openObjects(app, s3),
    log: app.log,
    settings,
    mailer: settings.mail && smtpMailer(settings.mail),
    secrets: secretBox(secretKeys),
  })
  app.onStop('projects-svc', stop)
  await openGrpcServer(app, internal, (serve) => serveAll(serve, tables, services))
}

process.exit(
  await runProgram({
    service: 'projects-svc',
    about: 'people, projects, labels, tasks, jobs and media over gRPC',
    env: environment,
    parts: processParts,
    graceMs: 34_000,
    commands: { migrate: migrateCommand({ schema, migrations }) },
    start,
  }),
)
