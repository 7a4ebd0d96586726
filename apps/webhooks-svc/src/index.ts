import type { events } from '@reticle/contracts/api/events'
import type { keys } from '@reticle/contracts/api/keys'
import type { tasks } from '@reticle/contracts/api/tasks'
import type { webhooks } from '@reticle/contracts/api/webhooks'
import type { Service } from '@reticle/kit'
import type { Bus } from '@reticle/kit/bus/bus'
import { keyHandlers } from '@reticle/kit/keys/keys'
import { watchOutbox } from '@reticle/kit/observe/database'
import type { Logger } from '@reticle/kit/observe/log'
import { type OutgoingOptions, openOutgoing } from '@reticle/kit/outgoing/fetch'
import { guardHandlers } from '@reticle/kit/rpc/guard'
import { logBugs } from '@reticle/kit/rpc/observe-calls'
import { type Clock, systemClock } from '@reticle/kit/scheduling/clock'
import { runRepeatedly } from '@reticle/kit/scheduling/repeat'
import { secretBox } from '@reticle/kit/settings/secrets'
import type { Kysely } from 'kysely'
import type { WebhooksSettings } from './config.ts'
import { consumeEvents } from './consumer.ts'
import type { WebhooksDb } from './db/schema.ts'
import { startDispatcher } from './deliveries/dispatch.ts'
import { watchMessages } from './deliveries/metrics.ts'
import { sweepAndReport } from './deliveries/repo-sweep.ts'
import { eventRules } from './event-log/policy.ts'
import { eventHandlers } from './event-log/rpc.ts'
import { deleteOldEvents } from './event-log/sweep.ts'
import { handlersOf } from './handlers.ts'
import { webhookRules } from './webhooks/policy.ts'

export { processParts, readConfig } from './config.ts'
export { migrations } from './db/migrations/index.ts'
export type { WebhooksDb } from './db/schema.ts'
export { eventHandlers } from './event-log/rpc.ts'
export { assertSecretsOpen, sealed } from './webhooks/secret.ts'

/** Name of the database schema, used by this service only. */
export const schema = 'webhooks'

/** Permission rules, printed as `docs/permissions.md`. */
export const rules = { webhook: webhookRules, event: eventRules }

export interface WebhooksPorts {
  db: Kysely<WebhooksDb>
  /** Connections for long statements; exports of the event log use them. */
  bulk: Kysely<WebhooksDb>
  bus: Bus
  log: Logger
  settings: WebhooksSettings
  services: { tasks: Pick<Service<typeof tasks>, 'authorize'> }
  clock?: Clock
  /** Overrides of DNS lookup, trusted roots and timeouts of calls to receivers. */
  outgoing?: Partial<OutgoingOptions>
}

export interface Webhooks {
  services: {
    webhooks: Service<typeof webhooks>
    events: Service<typeof events>
    keys: Service<typeof keys>
  }
  stop: () => Promise<void>
}

/** Service name in metrics and traces. */
const name = 'webhooks-svc'

const sweepEveryMs = 600_000

/** Starts the service: handlers, the consumer of `reticle.events.v1` and the dispatcher of messages. */
export function startWebhooks(ports: WebhooksPorts): Webhooks {
  const { db, bulk, bus, log, settings, services, clock = systemClock } = ports
  const guarded = { nets: settings.allowedNets, allowHttp: settings.allowHttp }
  const secrets = secretBox(settings.secretKeys)
  const shared = { db, clock, log, secrets, tasks: services.tasks }

  const sending = {
    ...shared,
    outgoing: openOutgoing({
      ...guarded,
      egressProxy: settings.egressProxy,
      ...ports.outgoing,
    }),
    schedule: { seconds: settings.retrySeconds, random: Math.random },
    disableAfterHours: settings.disableAfterHours,
  }
  const dispatcher = startDispatcher(sending)
  const base = `${settings.publicUrl}/api`
  const handle = consumeEvents({ clock, base, onMessages: dispatcher.wake })
  const group = { group: 'reticle.webhooks', topic: 'reticle.events.v1' } as const
  const subscription = bus.subscribe({ ...group, db, handle })
  const stopSweeping = runRepeatedly(
    sweepEveryMs,
    async () => {
      await sweepAndReport(shared)
      await deleteOldEvents(db, clock.now(), settings.eventsRetentionDays)
    },
    (err) => log.error({ err }, 'messages and events cannot be swept'),
  )
  const unwatch = [watchOutbox(db, schema), watchMessages(db)]

  const onBug = logBugs(log)
  const handlers = handlersOf({
    ...sending,
    ...settings,
    guard: guarded,
    base,
    onMessages: dispatcher.wake,
  })
  return {
    services: {
      webhooks: guardHandlers(handlers, onBug, name),
      events: guardHandlers(eventHandlers({ db, bulk, clock }), onBug, name),
      keys: guardHandlers<typeof keys>(keyHandlers(db), onBug, name),
    },
    stop: async () => {
      for (const stop of unwatch) stop()
      await subscription.stop()
      await Promise.all([dispatcher.stop(), stopSweeping()])
    },
  }
}
