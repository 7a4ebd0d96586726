import { openDatabase } from '@reticle/kit/db/connect'
import { silentLog } from '@reticle/kit/observe/log'
import { openOutgoing } from '@reticle/kit/outgoing/fetch'
import { readNets } from '@reticle/kit/outgoing/guard'
import { systemClock } from '@reticle/kit/scheduling/clock'
import { secretBox } from '@reticle/kit/settings/secrets'
import { toLoopback } from '@reticle/kit/testing/answers'
import type { WebhooksDb } from '../db/schema.ts'
import { startDispatcher } from '../deliveries/dispatch.ts'
import type { Memory, ToDispatcher } from './dispatcher-process.ts'

/** Process that `startDispatcherProcess` starts. */

let peak = 0
const watch = () => {
  peak = Math.max(peak, process.memoryUsage.rss())
}

/** The kernel reports the peak of the whole lifetime; sampling gives the peak since the last call. */
function memory(): Memory {
  watch()
  const told = { rss: process.memoryUsage.rss(), peak }
  peak = 0
  return told
}

function serve({ database, ca }: ToDispatcher): void {
  const { db } = openDatabase<WebhooksDb>(database, {
    application: 'dispatcher',
    search_path: ['webhooks'],
    max: 8,
  })
  startDispatcher({
    db,
    outgoing: openOutgoing({
      nets: readNets(['127.0.0.0/8']),
      allowHttp: true,
      lookup: toLoopback,
      ca,
    }),
    secrets: secretBox(`k1:${Buffer.alloc(32, 7).toString('base64')}`),
    schedule: { seconds: [25, 3600], random: () => 0.5 },
    disableAfterHours: 0,
    clock: systemClock,
    log: silentLog,
  })
  setInterval(watch, 5)
}

process.on('message', (given: ToDispatcher | 'memory') => {
  if (given !== 'memory') serve(given)
  process.send?.(memory())
})
process.once('disconnect', () => process.exit()) // the parent has exited
