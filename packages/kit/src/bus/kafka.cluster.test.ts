import { randomBytes } from 'node:crypto'
import { topics } from '@reticle/contracts/events/define'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll } from 'vitest'
import { silentLog } from '../log.ts'
import { startRelay } from '../outbox/relay.ts'
import { readTestServers } from '../testing/config.ts'
import { testDatabase } from '../testing/db.ts'
import { busContract } from './contract.ts'
import { createTopics, kafkaBus } from './kafka.ts'
import { type ContractTables, contractMigrations } from './rig.ts'

const { brokers } = readTestServers()
/** Topics and groups of this run alone. */
const prefix = `test-${randomBytes(4).toString('hex')}.`
const options = { brokers, clientId: 'test', log: silentLog, prefix }
const openBus = () => kafkaBus({ ...options, onError: () => undefined, session_ms: 6000 })

const database = await testDatabase<ContractTables>([
  { schema: 'contract', migrations: contractMigrations },
])
const { url, onCommit } = database
const bus = openBus()
await createTopics(options)
const relay = startRelay({ url: withPath(url), schema: 'contract', bus, onError: () => undefined })
onCommit(relay.wake)
afterAll(async () => {
  await relay.stop()
  await bus.close()
  await dropTopics()
})

busContract('Kafka', { db: database.db, openBus })

async function dropTopics() {
  const admin = new Kafka({ brokers, clientId: 'test', logLevel: logLevel.NOTHING }).admin()
  await admin.connect()
  await admin.deleteTopics({ topics: Object.keys(topics).map((topic) => prefix + topic) })
  await admin.disconnect()
}

function withPath(given: string): string {
  const changed = new URL(given)
  changed.searchParams.set('options', '-c search_path=contract')
  return changed.href
}
