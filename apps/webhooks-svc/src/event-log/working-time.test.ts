import { clientEvents } from '@reticle/contracts/rest/events'
import { expect, test } from 'vitest'
import { workingTimes } from './working-time.ts'

const noon = Date.UTC(2026, 2, 1, 12)
const at = (seconds: number, given: object = {}) => ({
  scope: 'draw:object',
  timestamp: new Date(noon + seconds * 1000).toISOString(),
  ...given,
})
const times = (events: object[], previous_event: object | null = null) =>
  workingTimes(clientEvents.parse({ timestamp: at(0).timestamp, events, previous_event })).map(
    ({ duration, ...place }) => ({ ...place, seconds: duration / 1000 }),
  )
const nowhere = { project_id: null, task_id: null, job_id: null }

test('gaps of up to 100 seconds between consecutive events count as work', () => {
  expect(times([at(0), at(100), at(101)])).toEqual([{ ...nowhere, seconds: 101 }])
  expect(times([at(0), at(100.001), at(101.001)])).toEqual([{ ...nowhere, seconds: 1 }])
})

test('working time continues from the last event of the previous call', () => {
  expect(times([at(10)], at(0))).toEqual([{ ...nowhere, seconds: 10 }])
  expect(times([at(10)])).toEqual([])
})

test('working time is split by job, task and project', () => {
  const first = { project_id: 7, task_id: 1, job_id: 31 }
  const second = { project_id: 7, task_id: 1, job_id: 32 }
  expect(times([at(0, first), at(10, first), at(13, second), at(15, first)])).toEqual([
    { ...first, seconds: 12 },
    { ...second, seconds: 3 },
  ])
})

test('events out of order count once', () => {
  expect(times([at(0), at(20), at(10), at(30)])).toEqual([{ ...nowhere, seconds: 30 }])
})

test('the duration of merged frame changes counts as work', () => {
  const steps = at(0, { scope: 'change:frame', duration: 5000 })
  expect(times([steps, at(8)])).toEqual([{ ...nowhere, seconds: 8 }])
  const endless = at(0, { scope: 'change:frame', duration: 2_000_000_000 })
  expect(times([at(-1), endless, endless])).toEqual([{ ...nowhere, seconds: 1 }])
})
