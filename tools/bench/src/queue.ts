import { z } from 'zod'
import type { Server } from './server.ts'
import type { BenchFigure } from './table.ts'
import { type BenchCall, callerOf, makeTask, waitForEnd } from './task.ts'

const conversions = 12
const framesEach = 4
const most = 4
const least = 1.7

const jobs = z.object({ results: z.array(z.object({ id: z.int() })) })

/**
 * Measures a queue of a dozen exports with images, processed by four workers instead of one. Every call of the object
 * store takes 200 ms, so that workers wait rather than compute: two cores are enough for four.
 *
 * @param haveWorkers changes the number of running workers of one slot each, behind a store this slow; at least one is
 * running
 */
export async function queueFigure(
  server: Pick<Server, 'api' | 'authorization'>,
  haveWorkers: (count: number) => Promise<void>,
): Promise<BenchFigure> {
  const call = callerOf(server)
  const task = await makeTask(server, conversions * framesEach, { segment_size: framesEach })
  const listed = await call('GET', `/jobs?task_id=${task.id}&page_size=${conversions}`)
  const ids = jobs.parse(listed).results.map(({ id }) => id)
  if (ids.length !== conversions) throw new Error(`${ids.length} jobs, not ${conversions}`)

  const drainedOnce = async () => {
    // An unchanged task would not be converted again.
    await call('PUT', `/tasks/${task.id}/annotations`, annotations(task.labelId))
    return drain(call, ids)
  }
  const drainedBy = async (count: number) => {
    await haveWorkers(count)
    await drainedOnce() // workers that have just started load their programs first
    return drainedOnce()
  }
  const one = await drainedBy(1)
  const four = await drainedBy(most)
  const ratio = one / four
  return {
    id: 'T-REQ',
    what: `queue of ${conversions} exports drained by ${most} workers instead of 1, objects 200 ms away`,
    seen: `${ratio.toFixed(2)} times faster (${seconds(one)} s / ${seconds(four)} s)`,
    target: `>= ${least}`,
    holds: ratio >= least,
  }
}

/**
 * Queues an export of every job at once; returns the milliseconds from the first request to the last end, as recorded.
 */
async function drain(call: BenchCall, ids: readonly number[]): Promise<number> {
  const exportPath = `dataset/export?save_images=true&format=${encodeURIComponent('COCO 1.0')}`
  const records = await Promise.all(
    ids.map(async (id) => waitForEnd(call, await call('POST', `/jobs/${id}/${exportPath}`))),
  )
  const began = Math.min(...records.map(({ created_date }) => created_date.getTime()))
  const ended = Math.max(...records.map(({ finished_date }) => finished_date?.getTime() ?? 0))
  return ended - began
}

const seconds = (ms: number) => (ms / 1000).toFixed(1)

/** A box on the first frame of every job, which gives each a new revision. */
function annotations(label_id: number): string {
  const box = { type: 'rectangle', label_id, points: [1, 1, 9, 9] }
  const shapes = Array.from({ length: conversions }, (_, n) => ({ ...box, frame: n * framesEach }))
  return JSON.stringify({ version: 0, tags: [], shapes, tracks: [] })
}
