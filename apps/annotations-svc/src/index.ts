import type { annotations as table } from '@reticle/contracts/api/annotations'
import type { keys } from '@reticle/contracts/api/keys'
import type { Service } from '@reticle/kit'
import type { Bus } from '@reticle/kit/bus/bus'
import { keyHandlers } from '@reticle/kit/keys/keys'
import { watchOutbox } from '@reticle/kit/observe/database'
import type { Logger } from '@reticle/kit/observe/log'
import { deleteExpiredRows } from '@reticle/kit/outbox/inbox'
import { startRelay } from '@reticle/kit/outbox/relay'
import { guardHandlers } from '@reticle/kit/rpc/guard'
import { logBugs } from '@reticle/kit/rpc/observe-calls'
import { type Clock, systemClock } from '@reticle/kit/scheduling/clock'
import { createKeyedQueue } from '@reticle/kit/scheduling/keyed-queue'
import { runRepeatedly } from '@reticle/kit/scheduling/repeat'
import type { Kysely } from 'kysely'
import { annotationHandlers } from './annotations/rpc.ts'
import type { AnnotationsSettings } from './config.ts'
import { idBlocks } from './db/ids.ts'
import type { AnnotationsDb } from './db/schema.ts'
import { group, type Neighbours } from './deps.ts'
import { eventHandler } from './events/consumer.ts'
import { sweepHistory } from './history/store/sweep.ts'
import { startUpkeep } from './upkeep/start.ts'

export { processParts, readConfig } from './config.ts'
export { migrations } from './db/migrations/index.ts'
export type { AnnotationsDb } from './db/schema.ts'

/** Name of the database schema, used by this service only. */
export const schema = 'annotations'

/** Planning mode of short statements; all of them find rows by task, job and id. */
export const plans = 'generic' as const

export interface AnnotationsPorts {
  db: Kysely<AnnotationsDb>
  /** Separate pool of four to eight connections for streams; default: `db`. */
  bulk?: Kysely<AnnotationsDb>
  /** Database URL of the service's role; the relay needs its own session. */
  url: string
  /** Notifies the relay of commits in both pools (`Database.onCommit`); without it events wait for the next poll. */
  onCommit?: (listener: () => void) => () => void
  bus: Bus
  log: Logger
  settings: AnnotationsSettings
  services: Neighbours
  clock?: Clock
}

export interface Annotations {
  services: { annotations: Service<typeof table>; keys: Service<typeof keys> }
  stop: () => Promise<void>
}

/** Creates the handlers without guards, for processes that call them directly. */
export function handlers({
  db,
  bulk = db,
  log,
  settings,
  services,
}: Pick<AnnotationsPorts, 'db' | 'bulk' | 'log' | 'settings' | 'services'>) {
  return {
    annotations: annotationHandlers({
      db,
      bulk,
      ids: idBlocks(db),
      turns: createKeyedQueue(),
      log,
      settings,
      services,
    }),
  }
}

/** Service name in metrics and traces. */
const name = 'annotations-svc'

const hourMs = 3_600_000
/**
 * Delay between a save and the publication of its event, so that the response is sent before consumers use the same
 * processor. Events of successive saves are published together, which needs far fewer statements.
 */
const headStartMs = 100

/** Starts the service: handlers, outbox relay and consumer of `reticle.events.v1`. */
export function startAnnotations(ports: AnnotationsPorts): Annotations {
  const { db, bulk, bus, log, clock = systemClock, settings, services } = ports
  const onError = (err: unknown) => log.error({ err }, 'work in the background failed')
  const onBug = logBugs(log)

  const relay = startRelay({ url: ports.url, schema, bus, onError, headStartMs })
  const forget = ports.onCommit?.(relay.wake)
  const topic = 'reticle.events.v1'
  const upkeep = startUpkeep({ db, services, log, settings }, onError)
  const handle = eventHandler(upkeep.wake, settings)
  const subscription = bus.subscribe({ group, topic, db, handle })
  const stopSweeping = runRepeatedly(hourMs, () => deleteExpiredRows(db, clock.now()), onError)
  const dropOld = () => sweepHistory(db, settings, clock.now())
  const stopDropping = runRepeatedly(hourMs, dropOld, onError)

  const unwatch = watchOutbox(db, schema)
  const { annotations } = handlers({ db, bulk, log, settings, services })
  return {
    services: {
      annotations: guardHandlers(annotations, onBug, name),
      keys: guardHandlers<typeof keys>(keyHandlers(db), onBug, name),
    },
    stop: async () => {
      unwatch()
      await Promise.all([subscription.stop(), stopSweeping(), stopDropping(), upkeep.stop()])
      forget?.()
      await relay.stop()
    },
  }
}
