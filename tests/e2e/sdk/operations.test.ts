import { restOperations } from '@reticle/contracts/api/index'
import { type S3Server, startS3 } from '@reticle/kit/testing/s3-server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dataDirectory, password, type Reticle, startReticle } from '../../support/reticle.ts'
import * as movement from './movement.ts'
import * as people from './people.ts'
import { recorded, type Seen } from './recorder.ts'
import * as surroundings from './surroundings.ts'
import * as work from './work.ts'
import type { World } from './world.ts'

/** Every operation of the table is called through the SDK, and does what it is there for. */

const { path, remove } = dataDirectory()
const seen: Seen = new Map()
let reticle: Reticle
let buckets: S3Server
let world: World
beforeAll(async () => {
  buckets = await startS3()
  reticle = await startReticle(path, {
    RETICLE_PROJECTS_EMAIL_VERIFICATION: 'mandatory',
    RETICLE_GATEWAY_RATE_ANONYMOUS: '0',
    RETICLE_GATEWAY_RATE_AUTH: '0',
  })
  const { url } = reticle
  const as: World['as'] = (who) => recorded({ url, ...who }, seen)
  const admin = as({ basic: { username: 'admin', password } })
  world = { url, dataDir: path, buckets, admin, anyone: as({}), as }
})
afterAll(async () => {
  await reticle.stop()
  await buckets.close()
  remove()
})

test.each(
  Object.entries({ ...people, ...work, ...movement, ...surroundings }).filter(
    ([name]) => !name.startsWith('new'),
  ),
)('%s', { timeout: 120_000 }, async (_, story) => {
  await (story as (world: World) => Promise<void>)(world)
})

/** Operations that cannot succeed beside a server of one process, and why. */
const unreachable: Record<string, string> = {}

test('every operation was called, and answered as the table says', () => {
  const others = restOperations.filter(
    ({ name, success }) => !(name in unreachable) && !seen.get(name)?.has(success),
  )
  const shown = others.map(({ name, success }) => {
    const statuses = [...(seen.get(name) ?? [])].join() || 'not called'
    return `${name}: ${statuses}, not ${success}`
  })
  expect(shown).toEqual([])
  expect(seen.size).toBe(restOperations.length)
})
