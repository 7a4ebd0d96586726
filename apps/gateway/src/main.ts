import { tmpdir } from 'node:os'
import { tables } from '@reticle/contracts'
import { environment } from '@reticle/kit/config'
import { openConnection } from '@reticle/kit/process/grpc'
import { openObjects } from '@reticle/kit/process/objects'
import { type App, runProgram } from '@reticle/kit/process/program'
import { processParts } from './config.ts'
import { keysOf, madePictures, ownChecks, reachable, type Services, startGateway } from './index.ts'

/** Runs the gateway as a separate process of a cluster: the public HTTP server. */
async function start(app: App<typeof processParts>): Promise<void> {
  const { s3, internal, settings, ...addresses } = app.config
  const people = openConnection(app, internal, addresses.projects)
  const sets = openConnection(app, internal, addresses.annotations)
  const work = openConnection(app, internal, addresses.jobs)
  const hooks = openConnection(app, internal, addresses.webhooks)
  const services: Services = {
    identity: people.service(tables.identity),
    organizations: people.service(tables.organizations),
    projects: people.service(tables.projects),
    labels: people.service(tables.labels),
    tasks: people.service(tables.tasks),
    jobs: people.service(tables.jobs),
    issues: people.service(tables.issues),
    guides: people.service(tables.guides),
    storages: people.service(tables.storages),
    media: people.service(tables.media),
    annotations: sets.service(tables.annotations),
    requests: work.service(tables.requests),
    frames: work.service(tables.frames),
    server: work.service(tables.server),
    webhooks: hooks.service(tables.webhooks),
    events: hooks.service(tables.events),
    keys: keysOf({
      projects: people.service(tables.keys),
      annotations: sets.service(tables.keys),
      requests: work.service(tables.keys),
      webhooks: hooks.service(tables.keys),
    }),
  }
  const blobs = await openObjects(app, s3)
  const checks = {
    DatabaseBackend: people.check, // a service without its database is not available
    Cache: () => reachable(blobs, madePictures),
    Queue: work.check,
    ProjectsService: people.check,
    AnnotationsService: sets.check,
    RequestsService: work.check,
    WebhooksService: hooks.check,
    ObjectStorage: () => reachable(blobs, 'health'),
    ...ownChecks(settings, tmpdir()),
  }
  const gateway = await startGateway({ services, blobs, log: app.log, settings, checks })
  app.onStop('gateway', gateway.stop)
  app.onLeave(gateway.leave)
  app.log.info({ url: gateway.url }, `Reticle is ready at ${gateway.url}`)
}

process.exit(
  await runProgram({
    service: 'gateway',
    about: 'the REST API',
    env: environment,
    parts: processParts,
    graceMs: 34_000,
    start,
  }),
)
