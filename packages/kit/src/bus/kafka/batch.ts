import { setTimeout as sleep } from 'node:timers/promises'
import type { EachBatchPayload, KafkaMessage } from 'kafkajs'
import {
  attemptEach,
  batchSize,
  noteFailure,
  type PartitionFailures,
  runTransaction,
  type Subscriber,
} from '../attempt.ts'
import type { Pulse } from '../pulse.ts'
import type { PartitionIntake } from './intake.ts'
import { offsetOf, readMessage } from './message.ts'

/** State of a group member that survives a reconnection. */
export interface GroupMember<T> extends Subscriber<T> {
  failures: PartitionFailures
  intake: PartitionIntake
  pulse: Pulse
  isLeaving: () => boolean
}

/**
 * Longest pause in milliseconds that is spent waiting. For a longer one the
 * partition is paused instead, so that others are not delayed.
 */
const shortPauseMs = 199

type Given = Pick<
  EachBatchPayload,
  'batch' | 'heartbeat' | 'resolveOffset' | 'commitOffsetsIfNecessary' | 'isRunning'
>

/**
 * Handles a fetched batch of one partition in short transactions, and commits the offset and sends a heartbeat after
 * each. Events that are not resolved are fetched again. The heartbeat is not sent inside a transaction because it may
 * wait for the broker while locks are held.
 */
export async function handleBatch<T>(member: GroupMember<T>, given: Given): Promise<void> {
  const { topic, partition, messages } = given.batch
  const isWanted = () => !member.isLeaving() && given.isRunning() && member.intake.isOpen(partition)
  let rest = messages
  while (rest.length > 0 && isWanted()) {
    const { next, pauseMs } = await runBatch(member, partition, rest)
    const done = rest.filter(({ offset }) => offsetOf(offset) < next)
    const last = done.at(-1)
    rest = rest.slice(done.length)
    if (last) {
      given.resolveOffset(last.offset)
      const partitions = [{ partition, offset: String(next) }]
      await given.commitOffsetsIfNecessary({ topics: [{ topic, partitions }] })
    }
    if (pauseMs > shortPauseMs) member.intake.rest(partition, pauseMs)
    else await sleep(pauseMs)
    member.pulse.beat()
    await given.heartbeat()
  }
}

/** Returns the next offset to read, and how many milliseconds the partition pauses before that. */
async function runBatch<T>(
  member: GroupMember<T>,
  partition: number,
  fetched: readonly KafkaMessage[],
): Promise<{ next: number; pauseMs: number }> {
  const { db, failures, onError, intake, isLeaving } = member
  const place = { topic: member.topic, partition }
  const messages = fetched.slice(0, batchSize).map((one) => readMessage(place, one))
  const first = messages[0]?.offset ?? 0
  let next = first
  const failed = (error: unknown) => noteFailure(failures, { partition, offset: next, error })
  const isOver = () => isLeaving() || !intake.isOpen(partition)
  const reached = (offset: number) => {
    next = offset
  }
  try {
    const error = await runTransaction(db, (tx, afterCommit) =>
      attemptEach(tx, member, { partition, messages, failures }, { isOver, reached, afterCommit }),
    )
    return { next, pauseMs: error === undefined ? 0 : failed(error) }
  } catch (error) {
    // The transaction had no effect: the commit failed, or the connection was lost.
    onError(error)
    return { next: first, pauseMs: failed(error) }
  }
}
