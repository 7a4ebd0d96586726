import { sql } from 'kysely'
import { type DeadEvent, storeDeadEvent } from '../outbox/dead.ts'
import { createAlarm } from '../scheduling/alarm.ts'
import { attemptEvent, isPassing, runTransaction, type Subscriber } from './attempt.ts'

const pollMs = 2000

/**
 * Handles dead events again that an operator released (`replayDead` of `outbox/dead.ts`), beside the stream of the
 * topic and in their original order. Polls every two seconds unless `isPaused`.
 */
export function startReplays<T>(
  subscriber: Subscriber<T>,
  { isPaused }: { isPaused: () => boolean },
): { stop: () => Promise<void> } {
  const waiting = createAlarm()
  let stopped = false
  const takeAll = async () => {
    while (!stopped && !isPaused() && (await replayOne(subscriber))) {
      // The condition replays the next event.
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

/** Returns false if no event is left, or if the next one failed with a transient error and stays for a later turn. */
async function replayOne<T>(subscriber: Subscriber<T>): Promise<boolean> {
  const { db, group, topic } = subscriber
  return runTransaction(db, async (tx, afterCommit) => {
    const { rows } = await sql<DeadEvent>`
      select * from dead_events
      where consumer = ${group} and topic = ${topic} and replayed_date is not null
      order by partition, "offset" limit 1 for update skip locked`.execute(tx)
    const [dead] = rows
    if (!dead) return false
    const error = await attemptEvent(tx, subscriber, {
      partition: dead.partition,
      message: dead,
      failures: new Map(),
      afterCommit,
    })
    if (isPassing(error)) return false
    if (error !== undefined) await storeDeadEvent(tx, dead, error)
    else {
      await sql`
        delete from dead_events where consumer = ${group} and event_id = ${dead.event_id}`.execute(
        tx,
      )
    }
    return true
  })
}
