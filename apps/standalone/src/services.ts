import { join } from 'node:path'
import * as annotations from '@reticle/annotations-svc'
import type { Services } from '@reticle/gateway'
import * as jobs from '@reticle/jobs-svc'
import type { BlobStore } from '@reticle/kit/blob/blob'
import type { Bus } from '@reticle/kit/bus/bus'
import { postgresBus } from '@reticle/kit/bus/postgres'
import { type Database, openDatabase } from '@reticle/kit/db/connect'
import type { OnStop } from '@reticle/kit/lifecycle'
import type { Logger } from '@reticle/kit/log'
import * as projects from '@reticle/projects-svc'
import * as webhooks from '@reticle/webhooks-svc'
import type { Urls } from './databases.ts'

export interface Surroundings {
  urls: Urls
  blobs: BlobStore
  log: Logger
  env: Record<string, string | undefined>
  onStop: OnStop
}

export const objectsOf = (dataDir: string) => join(dataDir, 'objects')

/** Connections of one service in the API process; streams of bytes have some of their own. */
const connections = 8
const bulkConnections = 6

/** Opens a pool that is closed when everything stops. */
export function openPool<T>(
  { log, onStop }: Pick<Surroundings, 'log' | 'onStop'>,
  name: string,
  url: string,
  { max = connections, statement_timeout }: { max?: number; statement_timeout?: number } = {},
): Database<T> {
  const onIdleError = (err: Error) => log.warn({ err }, `${name} lost a connection`)
  const database = openDatabase<T>(url, { application: name, max, statement_timeout, onIdleError })
  onStop(`database of ${name}`, database.close)
  return database
}

export function openBus({ urls, log, onStop }: Pick<Surroundings, 'urls' | 'log' | 'onStop'>): Bus {
  const bus = postgresBus({
    url: urls.bus,
    onError: (err) => log.error({ err }, 'the bus goes on after an error'),
    onGroupDropped: (group) => log.warn({ group }, 'a group nobody reads was dropped'),
  })
  onStop('bus', bus.close)
  return bus
}

/** Starts the five services in this process; each gets its own database role and the callers it asks. */
export function startServices(around: Surroundings) {
  const { urls, blobs, log, env, onStop } = around
  const bus = openBus(around)
  const child = (service: string) => log.child({ service })
  const started = <S extends { stop: () => Promise<void> }>(name: string, service: S): S => {
    onStop(name, service.stop)
    return service
  }

  const identityDatabase = openPool<projects.ProjectsDb>(around, 'projects', urls.projects)
  const { services: people } = started(
    'projects-svc',
    projects.startProjects({
      ...identityDatabase,
      bulk: openPool<projects.ProjectsDb>(around, 'projects bulk', urls.projects, bulk).db,
      url: urls.projects,
      bus,
      log: child('projects-svc'),
      settings: projects.readConfig(env),
    }),
  )
  const few = openPool<annotations.AnnotationsDb>(around, 'annotations', urls.annotations)
  const many = openPool<annotations.AnnotationsDb>(
    around,
    'annotations bulk',
    urls.annotations,
    bulk,
  )
  const { services: sets } = started(
    'annotations-svc',
    annotations.startAnnotations({
      db: few.db,
      bulk: many.db,
      onCommit: ofBoth(few, many),
      url: urls.annotations,
      bus,
      log: child('annotations-svc'),
      settings: annotations.readConfig(env),
      services: people,
    }),
  )
  const { services: work } = started(
    'jobs-svc',
    jobs.startJobs({
      ...openPool<jobs.RequestsDb>(around, 'requests', urls.requests),
      url: urls.requests,
      bus,
      blobs,
      log: child('jobs-svc'),
      settings: jobs.readConfig(env),
      services: { ...people, ...sets },
    }),
  )
  const { services: hooks } = started(
    'webhooks-svc',
    webhooks.startWebhooks({
      db: openPool<webhooks.WebhooksDb>(around, 'webhooks', urls.webhooks).db,
      bus,
      log: child('webhooks-svc'),
      settings: webhooks.readConfig(env),
      services: people,
    }),
  )
  const services: Services = { ...people, ...sets, ...work, ...hooks }
  return { services, identity: identityDatabase.db }
}

/** Commits of either pool. */
function ofBoth(one: Committing, other: Committing): Committing['onCommit'] {
  return (listener) => {
    const forget = [one.onCommit(listener), other.onCommit(listener)]
    return () => {
      for (const each of forget) each()
    }
  }
}
type Committing = Pick<Database<unknown>, 'onCommit'>

const bulk = { max: bulkConnections, statement_timeout: 10 * 60_000 }
