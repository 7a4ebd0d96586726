import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { topics } from '@reticle/contracts/events/define'
import { type Admin, ConfigResourceTypes, Kafka, logLevel } from 'kafkajs'
import { afterAll, describe, expect, test } from 'vitest'
import { silentLog } from '../observe/log.ts'
import { republishSent } from '../ops/republish.ts'
import { startRelay } from '../outbox/relay.ts'
import { isFullRun, readTestServers } from '../testing/config.ts'
import { testDatabase } from '../testing/db.ts'
import { recordScore } from '../testing/scores.ts'
import { busContract } from './contract.ts'
import { createTopics, kafkaBus } from './kafka.ts'
import {
  type ContractTables,
  contractMigrations,
  createRecorder,
  openSuite,
  topic,
  upTo,
  withPath,
} from './testing/rig.ts'
import { runSoak, scoreOf } from './testing/soak.ts'

const { brokers, control } = readTestServers()
const kafka = new Kafka({ brokers, clientId: 'test', logLevel: logLevel.NOTHING })
const until = { timeout: 60_000, interval: 50 }

/** Opens topics, groups and a database that no other run and no other rig uses, and starts a relay. */
async function openRig() {
  const prefix = `test-${randomBytes(4).toString('hex')}.`
  const options = { brokers, clientId: 'test', log: silentLog, prefix }
  const openBus = () => kafkaBus({ ...options, onError: () => undefined, sessionMs: 6000 })
  const schemas = [{ schema: 'contract', migrations: contractMigrations }]
  const { db, url, onCommit } = await testDatabase<ContractTables>(schemas)
  await createTopics(options)
  const bus = openBus()
  const relay = startRelay({
    url: withPath(url),
    schema: 'contract',
    bus,
    onError: () => undefined,
  })
  onCommit(relay.wake)
  const names = Object.keys(topics).map((name) => prefix + name)
  afterAll(async () => {
    await relay.stop()
    await bus.close()
    await asAdmin((admin) => admin.deleteTopics({ topics: names }))
  })
  return { db, url: withPath(url), openBus, prefix, options, names }
}

async function asAdmin<R>(run: (admin: Admin) => Promise<R>): Promise<R> {
  const admin = kafka.admin()
  await admin.connect()
  return run(admin).finally(() => admin.disconnect())
}

busContract('Kafka', await openRig())

describe('Kafka', async () => {
  const rig = await openRig()
  const { db, openBus, prefix, options, names } = rig
  const { publish, numbers, dead, subscribe, newBus, close } = openSuite(rig)
  afterAll(close)

  test('concurrent calls create the topics of the contracts once', async () => {
    await Promise.all([createTopics(options), createTopics(options)])
    const found = await asAdmin((admin) => admin.fetchTopicMetadata({ topics: names }))
    const counts = found.topics.map(({ name, partitions }) => [name, partitions.length])
    expect(Object.fromEntries(counts)).toEqual({
      [`${prefix}reticle.events.v1`]: 12,
      [`${prefix}reticle.requests.v1`]: 24,
    })
    const resources = names.map((name) => ({
      type: ConfigResourceTypes.TOPIC,
      name,
      configNames: ['retention.ms'],
    }))
    const { resources: read } = await asAdmin((admin) =>
      admin.describeConfigs({ includeSynonyms: false, resources }),
    )
    const days = read.map(({ configEntries }) => Number(configEntries[0]?.configValue) / 86_400_000)
    expect(days).toEqual([7, 1])
  })

  test('an event that is published twice takes effect once', async () => {
    const since = new Date()
    subscribe('twice', createRecorder('twice', 'twice'))
    await publish('twice:1', 1, 5)
    await expect.poll(() => numbers('twice'), until).toEqual(upTo(5))
    expect(await republishSent(db, { since })).toBe(5)
    await publish('twice:1', 6, 6)
    await expect.poll(() => numbers('twice'), until).toEqual(upTo(6))
  })

  test('a message of a foreign producer is moved to dead events and blocks no event', async () => {
    subscribe('stranger', createRecorder('stranger', 'stranger'))
    const producer = kafka.producer()
    await producer.connect()
    const messages = [{ key: 'stranger:1', value: 'no event \0 at all' }]
    await producer.send({ topic: prefix + topic, messages })
    await producer.disconnect()
    await publish('stranger:1', 1, 1)
    await expect.poll(() => numbers('stranger'), until).toEqual([1])
    expect(await dead('stranger')).toMatchObject([
      { key: 'stranger:1', value: 'no event \ufffd at all' },
    ])
  })

  test('a replay is rejected while members of other processes read the group', async () => {
    subscribe('taken', createRecorder('taken', 'taken'))
    await publish('taken:1', 1, 1)
    await expect.poll(() => numbers('taken'), until).toEqual([1])
    const attempt = newBus().replay({ group: 'taken', topic, db }, 0)
    await expect(attempt).rejects.toThrow('is read by 1 members of other processes')
  })

  test.skipIf(!control)(
    'a broker that is restarted on its data costs time, nothing else',
    async () => {
      const bus = openBus()
      subscribe('restart', createRecorder('restart', 'restart'), bus)
      await publish('restart:1', 1, 1)
      await expect.poll(() => numbers('restart'), until).toEqual([1])
      const restarted = fetch(`${control}/kafka/restart`, { method: 'POST' })
      for (let n = 2; n <= 60; n++) {
        await publish('restart:1', n, n)
        await sleep(50)
      }
      expect((await restarted).status).toBe(204)
      await expect.poll(() => numbers('restart'), until).toEqual(upTo(60))
      expect(bus.isAlive()).toBe(true)
      await bus.close()
    },
  )

  test('a deleted topic can be filled again with the published events', async () => {
    const since = new Date()
    const member = subscribe('wiped', createRecorder('wiped', 'wiped'))
    await publish('wiped:1', 1, 3)
    await expect.poll(() => numbers('wiped'), until).toEqual(upTo(3))
    await member.stop()
    await publish('wiped:1', 4, 5)
    await expect.poll(() => db.selectFrom('outbox').select('id').execute(), until).toEqual([])

    await asAdmin((admin) => admin.deleteTopics({ topics: names }))
    await expect.poll(() => asAdmin((admin) => admin.listTopics()), until).not.toContain(names[0])
    await createTopics(options)
    expect(await republishSent(db, { since })).toBe(5)
    subscribe('wiped', createRecorder('wiped', 'wiped'))
    await publish('wiped:1', 6, 6)
    await expect.poll(() => numbers('wiped'), until).toEqual(upTo(6))
  })
})

describe('Kafka while processes are killed', async () => {
  const { db, url, prefix } = await openRig()
  const counts = isFullRun() ? { kills: 200, events: 20_000 } : { kills: 10, events: 2000 }

  test('no event is lost, repeated or reordered', { timeout: 600_000 }, async () => {
    const seen = await runSoak({ db, url, kafka: { brokers, prefix }, ...counts })
    recordScore({ id: 'T-BUS-1', on: 'Kafka', ...scoreOf(seen) })
    expect(seen).toEqual({ ...counts, lost: 0, doubled: 0, disordered: 0 })
  })
})
