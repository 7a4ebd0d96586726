import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Kafka } from 'kafkajs'
import { watchLag } from '../../observe/lag.ts'
import { createAlarm } from '../../scheduling/alarm.ts'
import type { Subscriber } from '../attempt.ts'
import type { Subscription } from '../bus.ts'
import { type Pulse, pulseOfGroup } from '../pulse.ts'
import { startReplays } from '../replays.ts'
import { type GroupMember, handleBatch } from './batch.ts'
import { openIntake } from './intake.ts'
import { lagOf } from './offsets.ts'

export interface KafkaConsumerSettings {
  prefix: string
  /** Milliseconds without a heartbeat after which the partitions of a member are reassigned. */
  sessionMs: number
}

/** Subscription that can also leave its group with `hold`, until `release`. */
export interface KafkaSubscription extends Subscription, Pick<Pulse, 'isAlive'> {
  hold: () => Promise<void>
  release: () => void
}

const restartMs = 1000
const stopMs = 5000

/**
 * Starts a group member that reconnects whenever kafkajs gives up. Offsets are committed after the transaction of the
 * effects, so an event may be read twice; the inbox drops the repetition.
 */
export function startConsumer<T>(
  kafka: Kafka,
  consumer: Subscriber<T>,
  settings: KafkaConsumerSettings,
): KafkaSubscription {
  const { onError } = consumer
  const waiting = createAlarm()
  const intake = openIntake(settings.prefix + consumer.topic)
  let mode: 'read' | 'hold' | 'stop' = 'read'
  const member: GroupMember<T> = {
    ...consumer,
    failures: new Map(),
    intake,
    pulse: pulseOfGroup(settings.sessionMs),
    isLeaving: () => mode !== 'read',
  }
  const isStopped = () => mode === 'stop'
  let leave = new AbortController()
  let reading = Promise.resolve()

  const run = async () => {
    while (!isStopped()) {
      leave = new AbortController()
      if (mode === 'read')
        reading = readUntilCrash(kafka, member, settings, leave.signal).catch(onError)
      await reading
      member.pulse.beat()
      if (!isStopped()) await waiting.wait(restartMs)
    }
  }
  const leaveFor = (next: 'hold' | 'stop') => {
    mode = next
    leave.abort()
    waiting.ring()
  }
  const replays = startReplays(consumer, { isPaused: intake.isPaused })
  const forgetLag = watchLag(consumer.group, () => lagOf(kafka, consumer, settings.prefix))
  const running = run()

  return {
    isAlive: member.pulse.isAlive,
    pause: intake.pause,
    resume: intake.resume,
    hold: async () => {
      leaveFor('hold')
      await reading
    },
    release: () => {
      mode = 'read'
      waiting.ring()
    },
    stop: async () => {
      forgetLag()
      leaveFor('stop')
      intake.close()
      const stopped = Promise.all([running, replays.stop()])
      await Promise.race([stopped, sleep(stopMs, undefined, { ref: false })])
    },
  }
}

/** Runs one kafkajs consumer until it crashes, which throws, or `signal` fires. */
async function readUntilCrash<T>(
  kafka: Kafka,
  member: GroupMember<T>,
  { prefix, sessionMs }: KafkaConsumerSettings,
  signal: AbortSignal,
): Promise<void> {
  const consumer = kafka.consumer({
    groupId: prefix + member.group,
    sessionTimeout: sessionMs,
    rebalanceTimeout: 2 * sessionMs,
    heartbeatInterval: sessionMs / 10,
    maxWaitTimeInMs: 500,
    maxBytesPerPartition: 1024 ** 2,
    allowAutoTopicCreation: false,
    // This module reconnects after every crash, also after those that kafkajs would handle itself.
    retry: { restartOnFailure: async () => false },
  })
  const { CRASH, FETCH, GROUP_JOIN, REQUEST_TIMEOUT } = consumer.events
  const crashed = new Promise<never>((_, reject) => {
    consumer.on(CRASH, ({ payload }) => reject(payload.error))
  })
  crashed.catch(() => undefined)
  consumer.on(FETCH, member.pulse.beat)
  consumer.on(REQUEST_TIMEOUT, member.pulse.beat) // a silent broker is not a reason to restart this process
  consumer.on(GROUP_JOIN, () => member.intake.attach(consumer))
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [prefix + member.topic], fromBeginning: true })
    await consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: 3,
      eachBatch: (given) => handleBatch(member, given),
    })
    await Promise.race([crashed, untilAborted(signal)])
  } finally {
    await consumer.disconnect()
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
