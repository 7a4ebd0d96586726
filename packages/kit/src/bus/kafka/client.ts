import { Kafka, logLevel, type SASLOptions } from 'kafkajs'
import type { Logger } from '../../log.ts'
import { RequestQueue, restEmptyQueues } from './request-queue.ts'

restEmptyQueues(RequestQueue)

/** How to reach a cluster. */
export interface KafkaOptions {
  /** `host:port` of some brokers; the others are learnt from them. */
  brokers: readonly string[]
  ssl?: boolean
  sasl?: {
    mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
    username: string
    password: string
  }
  log: Logger
  clientId: string
  /** Put before the names of topics and groups where several systems share a cluster. */
  prefix?: string
}

/**
 * Short pauses, few tries: relay and consumers go on by themselves after a throw, and the longest pause is what everyone
 * waits when the cluster is back.
 */
const retry = { initialRetryTime: 300, maxRetryTime: 2000, retries: 5 }

/** Connects to nothing before its first use. */
export function openClient({ brokers, ssl, sasl, log, clientId }: KafkaOptions): Kafka {
  return new Kafka({
    brokers: [...brokers],
    ssl,
    sasl: sasl as SASLOptions | undefined,
    clientId,
    connectionTimeout: 5000,
    requestTimeout: 30_000,
    retry,
    logLevel: logLevel.INFO,
    logCreator: () => (entry) => tell(log, entry),
  })
}

/** What kafkajs calls errors though it goes on by itself. What is really lost comes as an exception. */
const healed = /rebalanc|coordinator|Topic creation errors|concurrent transaction/i

type Entry = Parameters<
  ReturnType<NonNullable<ConstructorParameters<typeof Kafka>[0]['logCreator']>>
>[0]

function tell(log: Logger, { level, namespace, log: line }: Entry): void {
  const { message, timestamp, logger, error, stack, ...facts } = line
  const text = `kafka: ${message}`
  const isHealed = healed.test(`${message} ${error ?? ''}`)
  const about = { namespace, error: error && String(error), ...facts }
  if (level === logLevel.ERROR && !isHealed) log.warn(about, text)
  else if (level === logLevel.WARN && !isHealed) log.info(about, text)
  else log.debug(about, text)
}
