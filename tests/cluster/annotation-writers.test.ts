import { setTimeout as sleep } from 'node:timers/promises'
import { isFullRun } from '@reticle/kit/testing/config'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { annotationSets, tagOf } from '../support/annotations.ts'
import { type AnyJson, createApiClient } from '../support/client.ts'
import { jobsOf, taskWithMedia } from '../support/factories.ts'
import { recordFault } from '../support/faults.ts'
import { createImages } from '../support/pictures.ts'
import { openRandom } from '../support/random.ts'
import { basic } from '../support/reticle.ts'
import { type SplitSystem, startSplit } from '../support/split.ts'
import { type AcknowledgedWrite, replayWrites, startWriting, type Writing } from './writers.ts'

const writers = 32
const { writes, kills } = isFullRun() ? { writes: 10_000, kills: 50 } : { writes: 1000, kills: 5 }

let split: SplitSystem
beforeAll(async () => {
  split = await startSplit('writers')
})
afterAll(() => split.stop())

/**
 * No acknowledged write is lost and none is applied twice, although annotations-svc is killed at any time and every
 * call is repeated until it is answered. See docs/spec/reliability.md#idempotency.
 */
test(`${writers} writers of ${writes} patches lose nothing while annotations-svc is killed ${kills} times`, {
  timeout: isFullRun() ? 3_600_000 : 300_000,
}, async () => {
  const task = await taskWithMedia(split.admin, { files: await createImages(3), segment_size: 1 })
  const jobs = await jobsOf(split.admin, task.id)
  const apis = split.urls.map((url) => createApiClient(`${url}/api`, basic))
  const writing = startWriting({
    ...{ apis, jobs, label_id: task.labels[0].id, writers, writes, random: openRandom(20_260_301) },
  })
  await Promise.all([writing.done, killAgainAndAgain(writing)])

  const { acknowledged } = writing
  expect(acknowledged).toHaveLength(writes)
  expect(acknowledged.some(({ attempts }) => attempts > 1)).toBe(true)
  for (const { id } of jobs) await expectSerial(id, acknowledged)
  recordFault(`annotations-svc killed ${kills} times under ${writers} writers`)
})

async function killAgainAndAgain({ acknowledged }: Writing): Promise<void> {
  const random = openRandom(1)
  for (let life = 1; life <= kills; life++) {
    const enough = (writes * (life - random.next())) / (kills + 1)
    while (acknowledged.length < enough) await sleep(1)
    await split.kill('annotations-1')
    await split.processes['annotations-1']?.start()
    await endLeasesOfKeys()
  }
}

/** Expires the leases of keys that a killed process held, as would happen after a minute. */
async function endLeasesOfKeys(): Promise<void> {
  const database = new pg.Client({ connectionString: split.databaseOf('annotations') })
  await database.connect()
  await database.query("update idempotency_keys set leased_until_date = '-infinity'")
  await database.end()
}

/**
 * Checks that every revision of the job is an acknowledged write, and that replaying them in order gives the stored
 * set.
 */
async function expectSerial(
  job: number,
  acknowledged: readonly AcknowledgedWrite[],
): Promise<void> {
  const answer = await annotationSets(split.admin, `/jobs/${job}/annotations/`).get()
  const own = acknowledged.filter((one) => one.job === job && one.status === 200)
  const revisions = new Set(own.map(({ revision }) => revision))
  const last = Number(/-(\d+)"$/.exec(tagOf(answer))?.[1])
  expect([...revisions].sort((a, b) => a - b)).toEqual(
    Array.from({ length: last }, (_, index) => index + 1),
  )
  const shapes: AnyJson[] = answer.body.shapes
  const groups = shapes.map(({ group }) => group)
  expect(groups.length, 'shapes that are there twice').toBe(new Set(groups).size)
  const found = new Map(shapes.map(({ group, z_order, points }) => [group, { z_order, points }]))
  expect(found).toEqual(replayWrites(acknowledged, job))
}
