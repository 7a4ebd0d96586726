import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startTestGateway } from '../testing/gateway.ts'

const { send } = await startTestGateway({ settings: { loopDelayMs: 50 } })

const block = (ms: number) => {
  const until = Date.now() + ms
  while (Date.now() < until); // nothing else runs during this loop
}

test('a delay during the start does not cause refusals', async () => {
  block(1100)
  await sleep(50)
  expect((await send('/api/server/about')).status).toBe(200)
})

test.each([
  ['one long stretch', [3500]],
  ['two stretches in a row', [1100, 1100]],
  ['stretches with a pause between them', [1500, 0, 1500, 0, 1500]],
])(
  '%s of work does not cause refusals',
  async (_name, stretches) => {
    await sleep(2500) // until samples count, and samples of an earlier test are over
    const statuses: number[] = []
    for (const ms of stretches) {
      if (ms === 0) await sleep(2100)
      else block(ms)
      await sleep(50)
      statuses.push((await send('/api/server/about')).status)
    }
    expect(new Set(statuses)).toEqual(new Set([200]))
  },
  20_000,
)

test('calls are refused while the event loop is late, but probes are not', async () => {
  expect((await send('/api/server/about')).status).toBe(200)

  const late = async () => {
    for (let count = 0; count < 4; count++) {
      block(1100)
      await sleep(1) // samples are taken
    }
    return (await send('/api/server/about')).status
  }
  await expect.poll(late, { timeout: 60_000, interval: 0 }).toBe(503) // takes several seconds
  const refused = await send('/api/server/about')
  expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
  expect(refused.json()).toMatchObject({ code: 'unavailable' })
  expect((await send('/api/server/health')).status).toBe(200)
  expect((await send('/healthz')).status).toBe(200)

  const later = async () => (await send('/api/server/about')).status
  await expect.poll(later, { timeout: 60_000, interval: 200 }).toBe(200)
}, 40_000)
