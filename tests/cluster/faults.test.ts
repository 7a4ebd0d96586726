import { setTimeout as sleep } from 'node:timers/promises'
import { startReceiver, type TestReceiver } from '@reticle/kit/testing/receiver'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { recordFault } from '../support/faults.ts'
import { type PartName, parts } from '../support/parts.ts'
import { type SplitSystem, startSplit } from '../support/split.ts'
import { type ClusterLoad, startLoad } from './load.ts'
import { openNetwork } from './network.ts'
import { expectSettled } from './settled.ts'

/**
 * Parts of the split system fail under load and return: no acknowledged write is lost, none is applied twice, and
 * clients get 503 with Retry-After meanwhile. See docs/spec/reliability.md#faults.
 */
let split: SplitSystem
let receiver: TestReceiver
const network = await openNetwork()
beforeAll(async () => {
  split = await startSplit('faults', { parts: network.settings })
})
afterAll(async () => {
  await split.stop()
  await network.close()
})

let load: ClusterLoad
beforeEach(async () => {
  receiver = await startReceiver()
  load = await startLoad(split.urls, receiver)
})
afterEach(() => receiver.close())

const beforeMs = 1000
const afterMs = 2000

/** Runs the load before, during and after a fault, and compares acknowledged writes with the stored state. */
async function survive(fault: string, happen: () => Promise<void>): Promise<void> {
  await sleep(beforeMs)
  try {
    await happen()
    await sleep(afterMs)
  } finally {
    await load.stop()
  }
  await expectSettled(split.admin, load, receiver)
  const { created, drawn, renamed } = load.ledger
  expect(Math.min(created.size, drawn.acknowledged.size, renamed.length)).toBeGreaterThan(0)
  recordFault(fault)
}

const processes = [
  'gateway-1',
  'projects-1',
  'annotations-1',
  'jobs-1',
  'webhooks-1',
  'worker-1',
] as const

test.each(processes)('no write is lost when %s is killed and started again', async (name) => {
  await survive(`${name} killed`, async () => {
    await split.kill(name)
    await sleep(1000)
    await split.processes[name]?.start()
  })
})

test.each(processes)('no write is lost when %s is restarted gracefully', async (name) => {
  await survive(`${name} restarted`, () => split.restart(name))
})

const away = async (name: PartName, ms: number) => {
  await parts.stop(name)
  await sleep(ms)
  await parts.start(name)
}

test('no write is lost when Kafka is down for 30 s', () =>
  survive('Kafka away', () => away('kafka', 30_000)))

test('no write is lost when the object store is down', () =>
  survive('MinIO away', () => away('minio', 5000)))

test('no write is lost when PostgreSQL is restarted', () =>
  survive('PostgreSQL restarted', () => parts.restart('postgres')))

test('no write is lost when PostgreSQL crashes', () =>
  survive('PostgreSQL crashed', async () => {
    await parts.kill('postgres')
    await parts.start('postgres')
  }))

test('no write is lost when the network to PostgreSQL and the object store is slow', () =>
  survive('slow network', async () => {
    network.each((proxy) => proxy.latency(100))
    await sleep(10_000)
    network.each((proxy) => proxy.heal())
  }))

test('no write is lost when PostgreSQL does not respond for 5 s', () =>
  survive('PostgreSQL silent', async () => {
    network.database.blackHole()
    await sleep(5000)
    network.database.heal()
  }))

test('no write is lost when connections to PostgreSQL are cut', () =>
  survive('PostgreSQL cut', async () => {
    network.database.cut()
    await sleep(1000)
    network.database.heal()
  }))

test('no write is lost when Kafka is paused for 10 s', () =>
  survive('Kafka frozen', async () => {
    await parts.pause('kafka')
    await sleep(10_000)
    await parts.resume('kafka')
  }))
