import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { watchLag } from '../../observe/lag.ts'
import { createAlarm } from '../../scheduling/alarm.ts'
import {
  attemptEach,
  batchSize,
  noteFailure,
  type PartitionFailures,
  runTransaction,
  type Subscriber,
  transientPause,
} from '../attempt.ts'
import type { Subscription } from '../bus.ts'
import { createPulse, type Pulse } from '../pulse.ts'
import { startReplays } from '../replays.ts'
import {
  joinGroup,
  lagOf,
  leaveGroup,
  lockOffset,
  moveOffset,
  type PartitionLease,
  readMessages,
  releasePartition,
  takePartition,
} from './offsets.ts'

/** Subscription with a `wake` to be called when the topic has new messages. */
export interface PostgresSubscription extends Subscription, Pick<Pulse, 'isAlive'> {
  wake: () => void
}

/** Largest number of partitions that one member works on at a time. */
const slots = 4
const pollMs = 1000
const batchesPerLease = 10
const stopMs = 5000

interface Member {
  id: string
  failures: PartitionFailures
  stopped: boolean
  paused: boolean
  pulse: Pulse
}
const newMember = (): Member => ({
  id: randomUUID(),
  failures: new Map(),
  stopped: false,
  paused: false,
  pulse: createPulse(),
})
const isOver = ({ stopped, paused }: Member) => stopped || paused

/**
 * Starts a group member. It claims a partition that has messages and no living owner, works on it and releases it. The
 * lease only informs other members; the lock on the row of the group, held through each batch, is what excludes them.
 */
export function startConsumer<T>(consumer: Subscriber<T>): PostgresSubscription {
  const member = newMember()
  const working = new Set<Promise<void>>()
  const waiting = createAlarm()

  const work = async (partition: number) => {
    const pause = await workOn(consumer, member, partition)
    setTimeout(waiting.ring, pause)
  }
  const dispatch = async () => {
    while (!isOver(member) && working.size < slots) {
      const partition = await takePartition(consumer, member.id)
      if (partition === undefined) return
      const done = work(partition)
        .catch(consumer.onError)
        .finally(() => working.delete(done))
      working.add(done)
    }
  }
  const run = async () => {
    await join(consumer, member)
    while (!member.stopped) {
      await dispatch().catch(consumer.onError)
      member.pulse.beat()
      if (!member.stopped) await waiting.wait(pollMs)
    }
    await Promise.all(working)
    await leaveGroup(consumer, member.id).catch(consumer.onError)
  }

  const replays = startReplays(consumer, { isPaused: () => member.paused })
  const forgetLag = watchLag(consumer.group, () => lagOf(consumer))
  const running = run()
  return {
    isAlive: member.pulse.isAlive,
    wake: waiting.ring,
    pause: () => {
      member.paused = true
    },
    resume: () => {
      member.paused = false
      waiting.ring()
    },
    stop: async () => {
      forgetLag()
      member.stopped = true
      waiting.ring()
      const stopped = Promise.all([running, replays.stop()])
      await Promise.race([stopped, sleep(stopMs, undefined, { ref: false })])
    },
  }
}

/** Registers the group, and retries while the database is not available yet. */
async function join<T>(consumer: Subscriber<T>, member: Member): Promise<void> {
  for (let tries = 1; !member.stopped; tries++) {
    try {
      return await joinGroup(consumer)
    } catch (error) {
      consumer.onError(error)
      member.pulse.beat()
      await sleep(transientPause(tries), undefined, { ref: false })
    }
  }
}

/**
 * Handles some batches of one partition, so that other partitions get their turn. Returns the milliseconds for which
 * the partition pauses.
 */
async function workOn<T>(consumer: Subscriber<T>, member: Member, partition: number) {
  const lease = { member: member.id, partition }
  let result: Result = { pauseMs: 0, more: true }
  for (let n = 0; n < batchesPerLease && result.more && !isOver(member); n++) {
    result = await runBatch(consumer, member, lease)
  }
  await releasePartition(consumer, lease, result.pauseMs)
  return result.pauseMs
}

interface Result {
  pauseMs: number
  more: boolean
}
const drained: Result = { pauseMs: 0, more: false }

/** Handles a batch of events, and moves the offset past the handled ones in the same transaction. */
async function runBatch<T>(
  consumer: Subscriber<T>,
  member: Member,
  lease: PartitionLease,
): Promise<Result> {
  const { partition } = lease
  let offset = -1
  const failed = (error: unknown): Result => ({
    pauseMs: noteFailure(member.failures, { partition, offset, error }),
    more: false,
  })
  try {
    return await runTransaction(consumer.db, async (tx, afterCommit) => {
      const next = await lockOffset(tx, consumer, lease)
      if (next === undefined) return drained
      offset = next
      const messages = await readMessages(tx, consumer, { partition, next })
      if (messages.length === 0) return drained
      const { failures } = member
      const work = { partition, messages, failures }
      const error = await attemptEach(tx, consumer, work, {
        isOver: () => isOver(member),
        reached: (next) => {
          offset = next
        },
        afterCommit,
      })
      await moveOffset(tx, consumer, { partition, next: offset })
      if (error !== undefined) return failed(error)
      const isLast = messages.length < batchSize && messages.every((one) => one.offset < offset)
      return { pauseMs: 0, more: !isLast } // messages that arrived meanwhile are found after the partition is released
    })
  } catch (error) {
    // The batch had no effect: the commit failed, or the connection was lost.
    consumer.onError(error)
    return failed(error)
  }
}
