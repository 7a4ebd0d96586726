import * as annotations from '@reticle/annotations-svc'
import { type GatewayServices, routeKeysByOwner } from '@reticle/gateway'
import * as jobs from '@reticle/jobs-svc'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Bus } from '@reticle/kit/bus/bus'
import { postgresBus } from '@reticle/kit/bus/postgres'
import { systemClock } from '@reticle/kit/clock'
import type { Env } from '@reticle/kit/config'
import type { OnStop } from '@reticle/kit/lifecycle'
import type { Logger } from '@reticle/kit/log'
import { openKafka, openPool, openPools } from '@reticle/kit/process/pools'
import type { KafkaSettings } from '@reticle/kit/process/settings'
import { secretBox } from '@reticle/kit/secrets'
import * as projects from '@reticle/projects-svc'
import * as webhooks from '@reticle/webhooks-svc'
import type { Urls } from './databases.ts'

export interface Surroundings {
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
  around: Pick<Surroundings, 'urls' | 'log' | 'onStop' | 'kafka'>,
): Promise<Bus> {
  const { urls, log, onStop, kafka } = around
  if (kafka) return openKafka(around, 'standalone', kafka)
  const bus = postgresBus({
    url: urls.bus,
    onError: (err, about) => log.error({ err, ...about }, 'the bus goes on after an error'),
    onGroupDropped: (group) => log.warn({ group }, 'a group nobody reads was dropped'),
  })
  onStop('bus', bus.close)
  return Promise.resolve(bus)
}

type Running = Surroundings & { bus: Bus; child: (service: string) => Logger }

/** Starts the services in this process; each gets its own database role and clients of the services that it calls. */
export async function startServices(around: Surroundings) {
  const running: Running = {
    ...around,
    bus: await openBus(around),
    child: (service) => around.log.child({ service }),
  }
  const { identity, ...people } = await startPeople(running)
  const sets = startSets(running, people.services)
  const hooks = await startHooks(running, people.services)
  const work = await startWork(running, { ...people.services, ...sets, ...hooks })
  const keys = routeKeysByOwner({
    projects: people.services.keys,
    annotations: sets.keys,
    requests: work.keys,
    webhooks: hooks.keys,
  })
  const services: GatewayServices = { ...people.services, ...sets, ...work, ...hooks, keys }
  return { services, identity }
}

async function startPeople({ bus, child, env, ...around }: Running) {
  const url = around.urls.projects
  const pools = openPools<projects.ProjectsDb>(around, 'projects', url)
  const settings = projects.readConfig(env)
  const secretKeys = projects.readSecretKeys(env)
  await projects.assertSecretsOpen(pools.db, secretKeys)
  const { services, stop } = projects.startProjects({
    ...pools,
    url,
    bus,
    blobs: around.blobs,
    log: child('projects-svc'),
    settings,
    mailer: settings.mail
      ? projects.smtpMailer(settings.mail)
      : projects.diskMailer(around.mailFolder, systemClock),
    secrets: secretBox(secretKeys),
  })
  around.onStop('projects-svc', stop)
  return { services, identity: pools.db }
}

function startSets(
  { bus, child, env, ...around }: Running,
  services: projects.Projects['services'],
) {
  const url = around.urls.annotations
  const started = annotations.startAnnotations({
    ...openPools<annotations.AnnotationsDb>(around, 'annotations', url, {
      plans: annotations.plans,
    }),
    url,
    bus,
    log: child('annotations-svc'),
    settings: annotations.readConfig(env),
    services,
  })
  around.onStop('annotations-svc', started.stop)
  return started.services
}

async function startWork(
  { bus, child, env, ...around }: Running,
  services: jobs.JobsPorts['services'],
) {
  const settings = jobs.readConfig(env)
  const url = around.urls.requests
  const started = jobs.startJobs({
    ...openPool<jobs.RequestsDb>(around, 'requests', url),
    url,
    bus,
    blobs: around.blobs,
    log: child('jobs-svc'),
    settings,
    video: await jobs.findDecoder(settings),
    services,
  })
  around.onStop('jobs-svc', started.stop)
  return started.services
}

async function startHooks(
  { bus, child, env, ...around }: Running,
  services: webhooks.WebhooksPorts['services'],
) {
  const { db, bulk } = openPools<webhooks.WebhooksDb>(around, 'webhooks', around.urls.webhooks)
  const settings = webhooks.readConfig(env)
  await webhooks.assertSecretsOpen(db, settings)
  const log = child('webhooks-svc')
  const started = webhooks.startWebhooks({ db, bulk, bus, log, settings, services })
  around.onStop('webhooks-svc', started.stop)
  return started.services
}
