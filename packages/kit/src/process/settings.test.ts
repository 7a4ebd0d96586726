import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { ConfigError, setting } from '../settings/config.ts'
import { defineSettings, namesOf, readParts, type SettingsParts } from '../settings/parts.ts'
import {
  addressPart,
  databasePart,
  internalPart,
  kafkaNeeded,
  kafkaPart,
  processPart,
  s3Needed,
  s3Part,
} from './settings.ts'

const key = 'k'.repeat(32)

function problemsOf(parts: SettingsParts, env: Record<string, string>): readonly string[] {
  try {
    readParts(parts, env)
  } catch (thrown) {
    if (thrown instanceof ConfigError) return thrown.problems
    throw thrown
  }
  return []
}

test('all invalid variables of all parts are listed at once', () => {
  const parts = {
    common: processPart,
    database: databasePart('SHOP'),
    kafka: kafkaNeeded,
    s3: s3Needed,
    internal: internalPart,
    other: addressPart('OTHER'),
  }
  const problems = problemsOf(parts, { RETICLE_METRICS_PORT: '70000', RETICLE_LOG_LEVEL: 'loud' })
  const names = problems.map((one) => one.split(':')[0])
  expect(names.sort()).toEqual([
    'RETICLE_INTERNAL_KEYS',
    'RETICLE_KAFKA_BROKERS',
    'RETICLE_LOG_LEVEL',
    'RETICLE_METRICS_PORT',
    'RETICLE_OTHER_ADDRESS',
    'RETICLE_S3_ENDPOINT',
    'RETICLE_SHOP_DATABASE_URL',
  ])
})

test('settings are frozen deeply', () => {
  const read = defineSettings(z.object({ RETICLE_SHOP_WORDS: setting.list() }), (given) => ({
    door: { words: given.RETICLE_SHOP_WORDS },
  }))
  const { door } = read({ RETICLE_SHOP_WORDS: 'open,closed' })
  expect([read({}), door, door.words].every(Object.isFrozen)).toBe(true)
})

test('a whole number must be within its bounds', () => {
  const read = defineSettings(
    z.object({ RETICLE_SHOP_DOORS: setting.whole(2, 1, 4) }),
    (given) => given,
  )
  const doors = (text: string) => read({ RETICLE_SHOP_DOORS: text }).RETICLE_SHOP_DOORS
  expect(['', '1', '4'].map(doors)).toEqual([2, 1, 4])
  for (const text of ['0', '5', '1.5', 'many'])
    expect(() => doors(text)).toThrow(/RETICLE_SHOP_DOORS: must be a whole number from 1 to 4/)
})

test.each(['kafka', 'a:9092,kafka', ':9092', 'kafka:port'])(
  'the broker %s is rejected',
  (brokers) => {
    expect(() => kafkaPart({ RETICLE_KAFKA_BROKERS: brokers })).toThrow(
      'RETICLE_KAFKA_BROKERS: Expected host:port,host:port',
    )
  },
)

test('an address of a service needs a port', () => {
  const read = addressPart('OTHER')
  for (const address of ['dns:///other:50051', 'other:1', 'ipv4:10.0.0.1:1,10.0.0.2:2', '[::1]:5'])
    expect(read({ RETICLE_OTHER_ADDRESS: address })).toBe(address)
  for (const address of ['other', 'ipv4:10.0.0.1', 'dns:///other', 'ipv4:10.0.0.1:1,10.0.0.2'])
    expect(() => read({ RETICLE_OTHER_ADDRESS: address })).toThrow(
      'RETICLE_OTHER_ADDRESS: Expected a gRPC target with a port',
    )
})

test('the names of parts are the variables that they read', () => {
  expect(namesOf({ database: databasePart('SHOP'), other: addressPart('OTHER') })).toEqual([
    'RETICLE_SHOP_DATABASE_URL',
    'RETICLE_SHOP_OWNER_DATABASE_URL',
    'RETICLE_DATABASE_URL',
    'RETICLE_OTHER_ADDRESS',
  ])
})

test('a service prefers its own database to the shared one, and its owner for migrations', () => {
  const read = databasePart('SHOP')
  const shared = 'postgresql://all@db/reticle'
  const own = 'postgresql://shop@db/reticle'
  const owner = 'postgresql://owner@db/reticle'
  expect(read({ RETICLE_DATABASE_URL: shared })).toEqual({ url: shared, owner: shared })
  const both = { RETICLE_DATABASE_URL: shared, RETICLE_SHOP_DATABASE_URL: own }
  expect(read(both)).toEqual({ url: own, owner: own })
  expect(read({ ...both, RETICLE_SHOP_OWNER_DATABASE_URL: owner })).toEqual({ url: own, owner })
  expect(() => read({ RETICLE_DATABASE_URL: 'mysql://db' })).toThrow(/Expected postgresql:/)
})

test('settings of Kafka and S3 must be absent or complete', () => {
  expect(kafkaPart({})).toBeUndefined()
  expect(kafkaPart({ RETICLE_KAFKA_BROKERS: 'a:9092, b:9092' })).toEqual({
    brokers: ['a:9092', 'b:9092'],
    ssl: false,
    sessionMs: 30_000,
  })
  const sasl = { RETICLE_KAFKA_BROKERS: 'a:1', RETICLE_KAFKA_SASL_MECHANISM: 'scram-sha-512' }
  expect(() => kafkaPart(sasl)).toThrow(/SASL_USERNAME: needed/)
  expect(s3Part({})).toBeUndefined()
  expect(() => s3Part({ RETICLE_S3_ENDPOINT: 'http://s3:9000' })).toThrow(/ACCESS_KEY: needed/)
})

test('internal keys must be long, and certificates need three readable files', () => {
  expect(() => internalPart({ RETICLE_INTERNAL_KEYS: 'short' })).toThrow(/at least 32 characters/)
  const keys = `${key},${key.toUpperCase()}`
  expect(internalPart({ RETICLE_INTERNAL_KEYS: keys })).toMatchObject({
    keys: keys.split(','),
    tls: undefined,
  })
  const folder = mkdtempSync(join(tmpdir(), 'reticle-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = (name: string) => {
    writeFileSync(join(folder, name), name)
    return join(folder, name)
  }
  const files = { RETICLE_TLS_CERT: file('cert'), RETICLE_TLS_KEY: file('key') }
  const env = { RETICLE_INTERNAL_KEYS: key, ...files }
  expect(() => internalPart(env)).toThrow(/RETICLE_TLS_CA: needed beside/)
  expect(() => internalPart({ ...env, RETICLE_TLS_CA: join(folder, 'none') })).toThrow(
    /RETICLE_TLS_CA: the file cannot be read/,
  )
  const { tls } = internalPart({ ...env, RETICLE_TLS_CA: file('ca') })
  expect([tls?.cert, tls?.key, tls?.ca].map(String)).toEqual(['cert', 'key', 'ca'])
})
