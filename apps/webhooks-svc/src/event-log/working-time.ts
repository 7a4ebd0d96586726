import type { ClientEvents } from '@reticle/contracts/rest/events'

/** A longer gap between two events counts as a break. */
const longestGapMs = 100_000

/**
 * The client merges several quick frame changes into one event with their total duration, so this duration counts as
 * work.
 */
const lasting = 'change:frame'

type Place = Pick<ClientEvents['events'][number], 'project_id' | 'task_id' | 'job_id'>
export type WorkingTime = Place & { duration: number }

/**
 * Returns the working time by project, task and job. Gaps of up to 100 seconds between consecutive events are
 * attributed to the event that ends them. The gap between two calls starts at the last event of the previous call.
 */
export function workingTimes({ events, previous_event }: ClientEvents): WorkingTime[] {
  const sums = new Map<string, WorkingTime>()
  const [first] = previous_event ? [previous_event] : events
  let end = first ? endOf(first, previous_event !== null) : 0
  for (const event of events) {
    const { project_id, task_id, job_id } = event
    const key = JSON.stringify([project_id, task_id, job_id])
    const sum = sums.get(key) ?? { project_id, task_id, job_id, duration: 0 }
    for (const moment of [Date.parse(event.timestamp), endOf(event, true)]) {
      const gap = moment - end
      if (gap > 0 && gap <= longestGapMs) sum.duration += gap
      end = Math.max(end, moment)
    }
    sums.set(key, sum)
  }
  return [...sums.values()].filter(({ duration }) => duration > 0)
}

function endOf(
  { scope, timestamp, duration }: ClientEvents['events'][number],
  withDuration: boolean,
): number {
  const start = Date.parse(timestamp)
  return scope === lasting && withDuration ? start + duration : start
}
