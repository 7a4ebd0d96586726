import * as annotations from '@reticle/annotations-svc'
import { type GatewayServices, routeKeysByOwner } from '@reticle/gateway'
import * as jobs from '@reticle/jobs-svc'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Bus } from '@reticle/kit/bus/bus'
import { postgresBus } from '@reticle/kit/bus/postgres'
import type { Logger } from '@reticle/kit/observe/log'
import type { OnStop } from '@reticle/kit/process/lifecycle'
import { openKafka, openPool, openPools } from '@reticle/kit/process/pools'
import type { KafkaSettings } from '@reticle/kit/process/settings'
import { systemClock } from '@reticle/kit/scheduling/clock'
import type { Env } from '@reticle/kit/settings/config'
import { secretBox } from '@reticle/kit/settings/secrets'
import * as projects from '@reticle/projects-svc'
import * as webhooks from '@reticle/webhooks-svc'
import type { Urls } from './postgres/databases.ts'

export interface ServicePorts {
  urls: Urls
  blobs: BlobStore
  /** Broker of the operator; undefined: the event log in PostgreSQL. */
  kafka: KafkaSettings | undefined
  log: Logger
  env: Env
  /** Folder for mails when no mail server is configured. */
  mailFolder: string
  onStop: OnStop
}

/** Opens the bus: Kafka of the operator, or the event log in PostgreSQL. */
export function openBus(
  ports: Pick<ServicePorts, 'urls' | 'log' | 'onStop' | 'kafka'>,
): Promise<Bus> {
  const { urls, log, onStop, kafka } = ports
  if (kafka) return openKafka(ports, 'standalone', kafka)
  const bus = postgresBus({
    url: urls.bus,
    onError: (err, details) => log.error({ err, ...details }, 'bus error; retrying'),
    onGroupDropped: (group) => log.warn({ group }, 'consumer group without readers dropped'),
  })
  onStop('bus', bus.close)
  return Promise.resolve(bus)
}

type RunningPorts = ServicePorts & { bus: Bus; child: (service: string) => Logger }

/** Starts the services in this process; each gets its own database role and clients of the services that it calls. */
export async function startServices(ports: ServicePorts) {
  const running: RunningPorts = {
    ...ports,
    bus: await openBus(ports),
    child: (service) => ports.log.child({ service }),
  }
  const { identity, ...projectsSvc } = await startProjectsSvc(running)
  const annotationsSvc = startAnnotationsSvc(running, projectsSvc.services)
  const webhooksSvc = await startWebhooksSvc(running, projectsSvc.services)
  const jobsSvc = await startJobsSvc(running, {
    ...projectsSvc.services,
    ...annotationsSvc,
    ...webhooksSvc,
  })
  const keys = routeKeysByOwner({
    projects: projectsSvc.services.keys,
    annotations: annotationsSvc.keys,
    requests: jobsSvc.keys,
    webhooks: webhooksSvc.keys,
  })
  const services: GatewayServices = {
    ...projectsSvc.services,
    ...annotationsSvc,
    ...jobsSvc,
    ...webhooksSvc,
    keys,
  }
  return { services, identity }
}

async function startProjectsSvc({ bus, child, env, ...ports }: RunningPorts) {
  const url = ports.urls.projects
  const pools = openPools<projects.ProjectsDb>(ports, 'projects', url)
  const settings = projects.readConfig(env)
  const secretKeys = projects.readSecretKeys(env)
  await projects.assertSecretsOpen(pools.db, secretKeys)
  const { services, stop } = projects.startProjects({
    ...pools,
    url,
    bus,
    blobs: ports.blobs,
    log: child('projects-svc'),
    settings,
    mailer: settings.mail
      ? projects.smtpMailer(settings.mail)
      : projects.diskMailer(ports.mailFolder, systemClock),
    secrets: secretBox(secretKeys),
  })
  ports.onStop('projects-svc', stop)
  return { services, identity: pools.db }
}

function startAnnotationsSvc(
  { bus, child, env, ...ports }: RunningPorts,
  services: projects.Projects['services'],
) {
  const url = ports.urls.annotations
  const started = annotations.startAnnotations({
    ...openPools<annotations.AnnotationsDb>(ports, 'annotations', url, {
      plans: annotations.plans,
    }),
    url,
    bus,
    log: child('annotations-svc'),
    settings: annotations.readConfig(env),
    services,
  })
  ports.onStop('annotations-svc', started.stop)
  return started.services
}

async function startJobsSvc(
  { bus, child, env, ...ports }: RunningPorts,
  services: jobs.JobsPorts['services'],
) {
  const settings = jobs.readConfig(env)
  const url = ports.urls.requests
  const started = jobs.startJobs({
    ...openPool<jobs.RequestsDb>(ports, 'requests', url),
    url,
    bus,
    blobs: ports.blobs,
    log: child('jobs-svc'),
    settings,
    video: await jobs.findDecoder(settings),
    services,
  })
  ports.onStop('jobs-svc', started.stop)
  return started.services
}

async function startWebhooksSvc(
  { bus, child, env, ...ports }: RunningPorts,
  services: webhooks.WebhooksPorts['services'],
) {
  const { db, bulk } = openPools<webhooks.WebhooksDb>(ports, 'webhooks', ports.urls.webhooks)
  const settings = webhooks.readConfig(env)
  await webhooks.assertSecretsOpen(db, settings)
  const log = child('webhooks-svc')
  const started = webhooks.startWebhooks({ db, bulk, bus, log, settings, services })
  ports.onStop('webhooks-svc', started.stop)
  return started.services
}
