import { sql } from 'kysely'
import { alarm } from '../alarm.ts'
import { bury, type DeadEvent } from '../outbox/dead.ts'
import { attempt, isPassing, type Subscriber } from './attempt.ts'

const pollMs = 2000

/**
 * Handles dead events again that an operator gave back (`outbox/dead.ts` replayDead), beside the stream of the topic and
 * in the order they had. Looks every two seconds, unless `isPaused`.
 */
export function startReplays<T>(
  subscriber: Subscriber<T>,
  { isPaused }: { isPaused: () => boolean },
): { stop: () => Promise<void> } {
  const waiting = alarm()
  let stopped = false
  const takeAll = async () => {
    while (!stopped && !isPaused() && (await replayOne(subscriber))) {
      // The next one.
    }
  }
  const run = async () => {
    while (!stopped) {
      await takeAll().catch(subscriber.onError)
      if (!stopped) await waiting.wait(pollMs)
    }
  }
  const running = run()
  return {
    stop: () => {
      stopped = true
      waiting.ring()
      return running
    },
  }
}

/** False when there is none left, or the next one has to wait: an error that passes leaves it for the next time. */
async function replayOne<T>(subscriber: Subscriber<T>): Promise<boolean> {
  const { db, group, topic } = subscriber
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<DeadEvent>`
      select * from dead_events
      where consumer = ${group} and topic = ${topic} and replayed_date is not null
      order by partition, "offset" limit 1 for update skip locked`.execute(tx)
    const [dead] = rows
    if (!dead) return false
    const error = await attempt(tx, subscriber, {
      partition: dead.partition,
      message: dead,
      failures: new Map(),
    })
    if (isPassing(error)) return false
    if (error !== undefined) await bury(tx, dead, error)
    else {
      await sql`
        delete from dead_events where consumer = ${group} and event_id = ${dead.event_id}`.execute(
        tx,
      )
    }
    return true
  })
}
