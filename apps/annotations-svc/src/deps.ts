import type { annotations } from '@reticle/contracts/api/annotations'
import type { labels } from '@reticle/contracts/api/labels'
import type { media } from '@reticle/contracts/api/media'
import type { tasks } from '@reticle/contracts/api/tasks'
import type { Service } from '@reticle/kit'
import type { Logger } from '@reticle/kit/observe/log'
import type { KeyedQueue } from '@reticle/kit/scheduling/keyed-queue'
import type { Kysely } from 'kysely'
import type { AnnotationsSettings } from './config.ts'
import type { IdBlocks } from './db/ids.ts'
import type { AnnotationsDb } from './db/schema.ts'

/** Consumer group of this service. */
export const group = 'reticle.annotations'

/** Dependencies of the operations of this service. */
export interface Deps {
  /** Pool for short statements. */
  db: Kysely<AnnotationsDb>
  /** Separate pool for streams, which last as long as their client. */
  bulk: Kysely<AnnotationsDb>
  ids: IdBlocks
  /** Queue of short writes per job in this process. */
  turns: KeyedQueue
  log: Logger
  settings: AnnotationsSettings
  services: Neighbours
}

/** Operations of projects-svc that this service calls. */
export interface Neighbours {
  tasks: Pick<Service<typeof tasks>, 'authorize' | 'annotationsChanged'>
  labels: Pick<Service<typeof labels>, 'getLabelSet'>
  media: Pick<Service<typeof media>, 'getFrameSizes' | 'getDeletedFrames' | 'listExtents'>
}

export type Handlers = Service<typeof annotations>
