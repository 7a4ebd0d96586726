import { freePort } from '@reticle/standalone/free-port'
import { expect, onTestFinished, test } from 'vitest'
import { liveDay } from './day.ts'
import { openEmbedded } from './embedded.ts'

/**
 * The shortest form of `npm run soak -- day`: every user does everything once, and everything is killed once. It is too
 * short to measure memory.
 */
test('after a day of load and kills every object exists exactly once', {
  timeout: 600_000,
}, async () => {
  const system = await openEmbedded(await freePort())
  onTestFinished(system.stop)
  const given = { minutes: 0.3, people: 2, seed: 7, isHasty: true }
  const { figures, ledger, logs } = await liveDay({ ...given, system, report: () => undefined })
  expect([...ledger.wrong]).toEqual([])
  expect([...logs].filter(([, { isExpected }]) => !isExpected)).toEqual([])
  const broken = figures.filter(({ what, holds }) => !holds && !what.includes('memory'))
  expect(broken).toEqual([])
})
