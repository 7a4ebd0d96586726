import { tmpdir } from 'node:os'
import { tables } from '@reticle/contracts'
import { openConnection } from '@reticle/kit/process/grpc'
import { openObjects } from '@reticle/kit/process/objects'
import { type App, runProgram } from '@reticle/kit/process/program'
import { environment } from '@reticle/kit/settings/config'
import { processParts } from './config.ts'
import {
  assertStoreReachable,
  createProcessChecks,
  type GatewayServices,
  routeKeysByOwner,
  scaledImagePrefix,
  startGateway,
} from './index.ts'

/** Runs the gateway as a separate process of a cluster: the public HTTP server. */
async function start(app: App<typeof processParts>): Promise<void> {
  const { s3, internal, settings, ...addresses } = app.config
  const projectsSvc = openConnection(app, internal, addresses.projects)
  const annotationsSvc = openConnection(app, internal, addresses.annotations)
  const jobsSvc = openConnection(app, internal, addresses.jobs)
  const webhooksSvc = openConnection(app, internal, addresses.webhooks)
  const services: GatewayServices = {
    identity: projectsSvc.service(tables.identity),
    organizations: projectsSvc.service(tables.organizations),
    projects: projectsSvc.service(tables.projects),
    labels: projectsSvc.service(tables.labels),
    tasks: projectsSvc.service(tables.tasks),
    jobs: projectsSvc.service(tables.jobs),
    issues: projectsSvc.service(tables.issues),
    guides: projectsSvc.service(tables.guides),
    storages: projectsSvc.service(tables.storages),
    media: projectsSvc.service(tables.media),
    annotations: annotationsSvc.service(tables.annotations),
    requests: jobsSvc.service(tables.requests),
    frames: jobsSvc.service(tables.frames),
    server: jobsSvc.service(tables.server),
    webhooks: webhooksSvc.service(tables.webhooks),
    events: webhooksSvc.service(tables.events),
    keys: routeKeysByOwner({
      projects: projectsSvc.service(tables.keys),
      annotations: annotationsSvc.service(tables.keys),
      requests: jobsSvc.service(tables.keys),
      webhooks: webhooksSvc.service(tables.keys),
    }),
  }
  const blobs = await openObjects(app, s3)
  const checks = {
    DatabaseBackend: projectsSvc.check, // a service without its database is not available
    Cache: () => assertStoreReachable(blobs, scaledImagePrefix),
    Queue: jobsSvc.check,
    ProjectsService: projectsSvc.check,
    AnnotationsService: annotationsSvc.check,
    RequestsService: jobsSvc.check,
    WebhooksService: webhooksSvc.check,
    ObjectStorage: () => assertStoreReachable(blobs, 'health'),
    ...createProcessChecks(settings, tmpdir()),
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
