import { createRequire } from 'node:module'
import { Kafka, logLevel, type SASLOptions } from 'kafkajs'
import type { Logger } from '../../log.ts'

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
  /** Put before the names of topics and groups: tests and the bench share a cluster. No setting leads here. */
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

interface Queue {
  pending: unknown[]
  scheduleCheckPendingRequests(): void
}

/** The queue of requests that kafkajs has for each connection. */
export const RequestQueue: { new (options: object): Queue; prototype: Queue } = createRequire(
  import.meta.url,
)('kafkajs/src/network/requestQueue')

/**
 * kafkajs 2.2.4 looks once a millisecond whether a queue without requests may send one by now (tulios/kafkajs#1556): up to
 * a tenth of a core for every process that has nothing to do. Nothing has to be looked for where nothing waits: a request
 * that must wait begins to look by itself.
 */
const { scheduleCheckPendingRequests } = RequestQueue.prototype
RequestQueue.prototype.scheduleCheckPendingRequests = function schedule() {
  if (this.pending.length > 0) scheduleCheckPendingRequests.call(this)
}
