import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { restOperations } from '@reticle/contracts/api/index'
import { type S3Server, startS3 } from '@reticle/kit/testing/s3-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataDirectory, password, type Reticle, startReticle } from '../../support/reticle.ts'
import { root } from '../../support/root.ts'
import { formatExamples } from './examples.ts'
import * as movement from './movement.ts'
import * as people from './people.ts'
import { createRecordingClient, nothingSeen } from './recorder.ts'
import * as refusals from './refusals.ts'
import * as surroundings from './surroundings.ts'
import * as work from './work.ts'
import type { SdkWorld } from './world.ts'

/** Calls every operation of the table through the SDK. */

const { path, remove } = dataDirectory()
const seen = nothingSeen()
let reticle: Reticle
let buckets: S3Server
let world: SdkWorld
beforeAll(async () => {
  buckets = await startS3()
  reticle = await startReticle(path, {
    RETICLE_PROJECTS_EMAIL_VERIFICATION: 'mandatory',
    RETICLE_GATEWAY_RATE_ANONYMOUS: '0',
    RETICLE_GATEWAY_RATE_AUTH: '0',
    RETICLE_GATEWAY_RATE_ANNOTATIONS: '30',
  })
  const { url } = reticle
  const as: SdkWorld['as'] = (who) => createRecordingClient({ url, ...who }, seen)
  const admin = as({ basic: { username: 'admin', password } })
  world = { url, dataDir: path, buckets, admin, anyone: as({}), as }
})
afterAll(async () => {
  await reticle.stop()
  await buckets.close()
  remove()
})

test.each(
  Object.entries({ ...people, ...work, ...movement, ...surroundings, ...refusals }).filter(
    ([name]) => !name.startsWith('new'),
  ),
)('%s', { timeout: 120_000 }, async (_, story) => {
  await (story as (world: SdkWorld) => Promise<void>)(world)
})

/** Operations that cannot succeed on a server in one process, with the reason. */
const unreachable: Record<string, string> = {}

test('every operation was called and returned its documented success status', () => {
  const others = restOperations.filter(
    ({ name, success }) => !(name in unreachable) && !seen.statuses.get(name)?.has(success),
  )
  const shown = others.map(({ name, success }) => {
    const statuses = [...(seen.statuses.get(name) ?? [])].join() || 'not called'
    return `${name}: ${statuses}, not ${success}`
  })
  expect(shown).toEqual([])
  expect(seen.statuses.size).toBe(restOperations.length)
})

test('the examples of the OpenAPI document match the answers of a server (-u updates them)', async () => {
  const path = join(root, 'packages/contracts/src/openapi/examples.json')
  const text = formatExamples(JSON.parse(readFileSync(path, 'utf8')), seen.examples, reticle.url)
  await expect(text).toMatchFileSnapshot(path)
})
