import { createRequire } from 'node:module'
import { Kafka, logLevel, type SASLOptions } from 'kafkajs'
import type { Logger } from '../../observe/log.ts'

/** Connection options of a Kafka cluster. */
export interface KafkaOptions {
  /** Addresses `host:port` of some brokers, from which the client learns the others. */
  brokers: readonly string[]
  ssl?: boolean
  sasl?: {
    mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
    username: string
    password: string
  }
  log: Logger
  clientId: string
  /** Prefix of topic and group names, so that tests and benchmarks can share a cluster. It is not a setting. */
  prefix?: string
}

/**
 * Short pauses and few retries: relay and consumers repeat by themselves after an error, and the longest pause delays
 * everything once the cluster is back.
 */
const retry = { initialRetryTime: 300, maxRetryTime: 2000, retries: 5 }

/** Creates a client, which connects on first use. */
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
    logCreator: () => (entry) => writeEntry(log, entry),
  })
}

/** Errors in the log of kafkajs from which it recovers by itself. An unrecoverable error is thrown instead. */
const healed = /rebalanc|coordinator|Topic creation errors|concurrent transaction/i

type Entry = Parameters<
  ReturnType<NonNullable<ConstructorParameters<typeof Kafka>[0]['logCreator']>>
>[0]

function writeEntry(log: Logger, { level, namespace, log: line }: Entry): void {
  const { message, timestamp, logger, error, stack, ...facts } = line
  const text = `kafka: ${message}`
  const isHealed = healed.test(`${message} ${error ?? ''}`)
  const about = { namespace, error: error && String(error), ...facts }
  if (level === logLevel.ERROR && !isHealed) log.warn(about, text)
  else if (level === logLevel.WARN && !isHealed) log.info(about, text)
  else log.debug(about, text)
}

interface Queue {
  pending: unknown[]
  scheduleCheckPendingRequests(): void
}

/** The request queue that kafkajs has for each connection. */
export const RequestQueue: { new (options: object): Queue; prototype: Queue } = createRequire(
  import.meta.url,
)('kafkajs/src/network/requestQueue')

/**
 * kafkajs 2.2.4 checks once a millisecond whether an empty queue may send a request (tulios/kafkajs#1556), which costs
 * an idle process up to a tenth of a core. Only a queue with pending requests needs the check, and a request that must
 * wait schedules it.
 */
const { scheduleCheckPendingRequests } = RequestQueue.prototype
RequestQueue.prototype.scheduleCheckPendingRequests = function schedule() {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this)
}
