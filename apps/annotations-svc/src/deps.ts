import type { annotations } from '@reticle/contracts/api/annotations'
import type { labels } from '@reticle/contracts/api/labels'
import type { media } from '@reticle/contracts/api/media'
import type { tasks } from '@reticle/contracts/api/tasks'
import type { Service } from '@reticle/kit'
import type { Logger } from '@reticle/kit/log'
import type { Turns } from '@reticle/kit/turns'
import type { Kysely } from 'kysely'
import type { AnnotationsSettings } from './config.ts'
import type { AnnotationsDb } from './db/schema.ts'
import type { IdBlocks } from './targets/ids.ts'

/** The name under which this service consumes events. */
export const group = 'reticle.annotations'

/** What the operations of this service work with. */
export interface Deps {
  /** Of short statements. */
  db: Kysely<AnnotationsDb>
  /** A pool of its own for what lasts as long as its client: streams in and out (`perf-design.md` 4.3). */
  bulk: Kysely<AnnotationsDb>
  ids: IdBlocks
  /** Of short writes of a job in this process. */
  turns: Turns
  log: Logger
  settings: AnnotationsSettings
  services: Neighbours
}

/** What is asked of projects-svc. */
export interface Neighbours {
  tasks: Pick<Service<typeof tasks>, 'authorize' | 'annotationsChanged'>
  labels: Pick<Service<typeof labels>, 'getLabelSet'>
  media: Pick<Service<typeof media>, 'getFrameSizes' | 'getDeletedFrames' | 'listExtents'>
}

export type Handlers = Service<typeof annotations>
