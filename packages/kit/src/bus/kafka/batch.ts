import { setTimeout as sleep } from 'node:timers/promises'
import type { EachBatchPayload, KafkaMessage } from 'kafkajs'
import { attemptEach, batchSize, type Failures, noteFailure, type Subscriber } from '../attempt.ts'
import type { Pulse } from '../pulse.ts'
import type { Intake } from './intake.ts'
import { offsetOf, readMessage } from './message.ts'

/** What a member of a group remembers from one connection to the next. */
export interface Member<T> extends Subscriber<T> {
  failures: Failures
  intake: Intake
  pulse: Pulse
  isLeaving: () => boolean
}

/** A partition that has to wait longer than this is paused; others are not held up by it. */
const shortPauseMs = 199

type Given = Pick<
  EachBatchPayload,
  'batch' | 'heartbeat' | 'resolveOffset' | 'commitOffsetsIfNecessary' | 'isRunning'
>

/**
 * What was fetched of one partition, in short transactions; after each the offset is committed and the group told that
 * this member lives. What is not resolved is fetched again. The heartbeat comes between two transactions, never inside: it
 * may wait for the broker, and locks would be held meanwhile.
 */
export async function handleBatch<T>(member: Member<T>, given: Given): Promise<void> {
  const { topic, partition, messages } = given.batch
  const isWanted = () => !member.isLeaving() && given.isRunning() && member.intake.isOpen(partition)
  let rest = messages
  while (rest.length > 0 && isWanted()) {
    const { next, pauseMs } = await runTransaction(member, partition, rest)
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

/** Answers the next offset to be read, and how long the partition is to wait before that. */
async function runTransaction<T>(
  member: Member<T>,
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
    const error = await db
      .transaction()
      .execute((tx) =>
        attemptEach(tx, member, { partition, messages, failures }, { isOver, reached }),
      )
    return { next, pauseMs: error === undefined ? 0 : failed(error) }
  } catch (error) {
    // Nothing of it happened: the commit failed, or the connection went.
    onError(error)
    return { next: first, pauseMs: failed(error) }
  }
}
