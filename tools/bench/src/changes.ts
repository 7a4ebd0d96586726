import pg from 'pg'
import { z } from 'zod'
import { measureMs, median } from './measure.ts'
import type { Server } from './server.ts'
import { boxPieces } from './shapes.ts'
import type { BenchFigure } from './table.ts'
import { makeTask, sendShapes } from './task.ts'
import { stopAnalysing } from './unanalysed.ts'

/** Number of measured calls by their number of objects; large calls take longer. */
const rounds = { 1: 60, 100: 12, 1000: 7 } as const
type Count = keyof typeof rounds
const counts = [1, 100, 1000] as const
const sizes = [100, 10_000, 1_000_000]
const frames = 200

/** Limits in milliseconds for a call of 1,000 objects in a set of 10,000, and for a call of one object. */
const goals: Record<string, number> = { create: 50, update: 60, delete: 40 }
const goalOfOne = 10

/**
 * Measures create, update and delete of 1, 100 and 1,000 objects over HTTP in sets of 100, 10,000 and 1,000,000, on a
 * database that was never analysed: autovacuum is off for the tables of annotations.
 */
export async function* changeFigures(server: Server): AsyncGenerator<BenchFigure> {
  const database = new pg.Client({ connectionString: server.databaseUrl })
  await database.connect()
  await stopAnalysing(database).finally(() => database.end())
  for (const size of sizes) {
    const set = await openSet(server, size)
    for (const count of counts) {
      const times: Record<string, number[]> = { create: [], update: [], delete: [] }
      for (let round = 0; round <= rounds[count]; round++)
        await callEach(set, { count, round, times })
      for (const [action, values] of Object.entries(times)) {
        yield figureOf(action, { count, size, values: values.slice(1) })
      }
    }
  }
}

interface Measured {
  count: Count
  size: number
  values: number[]
}

function figureOf(action: string, { count, size, values }: Measured): BenchFigure {
  const what = `PATCH ${action} of ${count.toLocaleString('en')} of ${size.toLocaleString('en')} shapes, p50 / least`
  const [half, least] = [median(values), Math.min(...values)]
  const most =
    size !== 10_000
      ? undefined
      : count === 1
        ? goalOfOne
        : count === 1000
          ? goals[action]
          : undefined
  return {
    id: 'changes',
    what,
    seen: `${half.toFixed(1)} / ${least.toFixed(1)} ms`,
    target: most === undefined ? '' : `<= ${most} ms`,
    holds: most === undefined || half <= most,
  }
}

const created = z.object({ shapes: z.array(z.object({ id: z.int() })) })

type Patch = (action: string, shapes: readonly object[]) => Promise<number[]>

/** Creates a job with that many boxes. */
async function openSet(server: Server, size: number): Promise<{ patch: Patch; labelId: number }> {
  const { api, authorization } = server
  const task = await makeTask(server, frames, { width: 320, height: 240 })
  const pieces = boxPieces({ labelId: task.labelId, count: size, frames })
  await sendShapes(server, `/tasks/${task.id}/annotations`, pieces)
  const patch: Patch = async (action, shapes) => {
    const answer = await fetch(`${api}/tasks/${task.id}/annotations?action=${action}`, {
      method: 'PATCH',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ shapes }),
    })
    if (!answer.ok) throw new Error(`PATCH ${action}: ${answer.status} ${await answer.text()}`)
    return created.parse(await answer.json()).shapes.map((one) => one.id)
  }
  return { patch, labelId: task.labelId }
}

/** Creates, updates and deletes objects, so that the set keeps its size. */
async function callEach(
  { patch, labelId }: Awaited<ReturnType<typeof openSet>>,
  { count, round, times }: { count: number; round: number; times: Record<string, number[]> },
): Promise<void> {
  const box = (n: number) => ({
    ...{ type: 'rectangle', label_id: labelId, frame: (n * 7 + round) % frames },
    points: [n % 100, 10, 110 + (n % 100), 60],
  })
  let ids: number[] = []
  const measure = async (action: string, run: () => Promise<unknown>) => {
    times[action]?.push(await measureMs(run))
  }
  await measure('create', async () => {
    ids = await patch(
      'create',
      Array.from({ length: count }, (_, n) => box(n)),
    )
  })
  await measure('update', () =>
    patch(
      'update',
      ids.map((id) => ({ id, occluded: true })),
    ),
  )
  await measure('delete', () =>
    patch(
      'delete',
      ids.map((id) => ({ id })),
    ),
  )
}
