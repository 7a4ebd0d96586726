import * as annotations from '@reticle/annotations-svc'
import type { Tables } from '@reticle/contracts'
import type { ConverterPorts } from '@reticle/jobs-svc'
import { openDatabase } from '@reticle/kit/db/connect'
import { createLog } from '@reticle/kit/observe/log'
import { startTraces } from '@reticle/kit/observe/traces'
import { guardHandlers } from '@reticle/kit/rpc/guard'
import { logBugs } from '@reticle/kit/rpc/observe-calls'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { secretBox } from '@reticle/kit/settings/secrets'
import * as projects from '@reticle/projects-svc'
import * as webhooks from '@reticle/webhooks-svc'
import { z } from 'zod'
import { objectsOptions, openObjects } from '../data-dir/objects.ts'

/** Options of a converter, for opening its own connections to the database and the objects. */
export const standaloneWiringOptions = z.object({
  urls: z.object({ projects: z.string(), annotations: z.string(), webhooks: z.string() }),
  objects: objectsOptions,
  env: z.record(z.string(), z.string().optional()),
  log: z.object({ level: z.string(), format: z.enum(['json', 'pretty']) }),
  traces: z.string().optional(),
})

/** One conversion at a time uses these connections. */
const connections = { max: 3, statement_timeout: 10 * 60_000 }

/**
 * Opens the ports of a converter: handlers over small pools, without a socket to the other process
 * (docs/adr/0005-let-each-conversion-open-its-own-connections.md).
 */
export async function openConverterPorts(options: unknown): Promise<ConverterPorts> {
  const { urls, objects, env, log, traces } = standaloneWiringOptions.parse(options)
  await startTraces({ service: 'reticle conversion', endpoint: traces })
  const logger = createLog('conversion', log)
  const onBug = logBugs(logger)
  const blobs = await openObjects(objects)

  const projectsSvc = projects.handlers({
    db: openDatabase<projects.ProjectsDb>(urls.projects, {
      application: 'conversion',
      ...connections,
    }).db,
    blobs,
    clock: systemClock,
    settings: projects.readConfig(env),
    secrets: secretBox(projects.readSecretKeys(env)),
  })
  const { projects: owned, tasks, jobs, labels, guides, media, storages } = projectsSvc
  const projectServices = {
    projects: guardHandlers<Tables['projects']>(owned, onBug, 'projects-svc'),
    tasks: guardHandlers<Tables['tasks']>(tasks, onBug, 'projects-svc'),
    jobs: guardHandlers<Tables['jobs']>(jobs, onBug, 'projects-svc'),
    labels: guardHandlers<Tables['labels']>(labels, onBug, 'projects-svc'),
    guides: guardHandlers<Tables['guides']>(guides, onBug, 'projects-svc'),
    media: guardHandlers<Tables['media']>(media, onBug, 'projects-svc'),
    storages: guardHandlers<Tables['storages']>(storages, onBug, 'projects-svc'),
  }
  const annotationsSvc = annotations.handlers({
    db: openDatabase<annotations.AnnotationsDb>(urls.annotations, {
      application: 'conversion',
      ...connections,
    }).db,
    log: logger,
    settings: annotations.readConfig(env),
    services: projectServices,
  })
  const annotated = guardHandlers<Tables['annotations']>(
    annotationsSvc.annotations,
    onBug,
    'annotations-svc',
  )
  const { db: logDb } = openDatabase<webhooks.WebhooksDb>(urls.webhooks, {
    application: 'conversion',
    ...connections,
  })
  const eventHandlers = webhooks.eventHandlers({ db: logDb, bulk: logDb, clock: systemClock })
  const events = guardHandlers<Tables['events']>(eventHandlers, onBug, 'webhooks-svc')
  return { services: { ...projectServices, annotations: annotated, events }, blobs }
}
