import * as annotations from '@reticle/annotations-svc'
import type { Tables } from '@reticle/contracts'
import type { Wired } from '@reticle/jobs-svc'
import { systemClock } from '@reticle/kit/clock'
import { openDatabase } from '@reticle/kit/db/connect'
import { createLog } from '@reticle/kit/log'
import { guard } from '@reticle/kit/rpc/guard'
import * as projects from '@reticle/projects-svc'
import { z } from 'zod'
import { objectsOptions, openObjects } from './objects.ts'

/** What a conversion thread is handed to open its own way to the database and the objects. */
export const wiringOptions = z.object({
  urls: z.object({ projects: z.string(), annotations: z.string() }),
  objects: objectsOptions,
  env: z.record(z.string(), z.string().optional()),
  log: z.object({ level: z.string(), format: z.enum(['json', 'pretty']) }),
})
export type WiringOptions = z.infer<typeof wiringOptions>

/** One conversion at a time uses these. */
const connections = { max: 3, statement_timeout: 10 * 60_000 }

/** Opened in every conversion thread (`docs/adr/0005`): handlers over small pools, no socket to the other process. */
export async function wire(options: unknown): Promise<Wired> {
  const { urls, objects, env, log } = wiringOptions.parse(options)
  const logger = createLog('conversion', log)
  const onBug = (err: unknown, { request_id }: { request_id: string }) =>
    logger.error({ err, request_id }, 'a handler failed')

  const people = projects.handlers({
    db: openDatabase<projects.ProjectsDb>(urls.projects, {
      application: 'conversion',
      ...connections,
    }).db,
    clock: systemClock,
    settings: projects.readConfig(env),
  })
  const { tasks, labels, media } = people
  const known = {
    tasks: guard<Tables['tasks']>(tasks, onBug),
    labels: guard<Tables['labels']>(labels, onBug),
    media: guard<Tables['media']>(media, onBug),
  }
  const sets = annotations.handlers({
    db: openDatabase<annotations.AnnotationsDb>(urls.annotations, {
      application: 'conversion',
      ...connections,
    }).db,
    log: logger,
    settings: annotations.readConfig(env),
    services: known,
  })
  return {
    services: { ...known, annotations: guard<Tables['annotations']>(sets.annotations, onBug) },
    blobs: await openObjects(objects),
  }
}
