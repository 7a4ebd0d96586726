import { type Alone, caller, drainChunks, openAlone, taskId } from './alone.ts'
import { inTurn, putJob, splitBody } from './alone-figures.ts'
import { measureInterleaved } from './measure.ts'
import type { Server } from './server.ts'
import { type BenchFigure, ratioFigure } from './table.ts'

const most = 1.15

/** Measures the cost of the annotation history for a write: the service with history against the service without it. */
export async function historyFigures({
  databaseUrl,
}: Pick<Server, 'databaseUrl'>): Promise<BenchFigure[]> {
  const kept = await openAlone(databaseUrl, 'bench_history')
  const env = { RETICLE_ANNOTATIONS_HISTORY_DAYS: '0' }
  const bare = await openAlone(databaseUrl, 'bench_no_history', env)
  try {
    const put = await measureInterleaved(
      7,
      () => putJob(bare, 1),
      () => putJob(kept, 1),
    )
    const one = await inTurn(await changer(bare, 1), await changer(kept, 1))
    const many = await inTurn(await changer(bare, 500), await changer(kept, 500))
    return [
      ratioFigure(
        'history',
        'PUT of 100,000 shapes over 100,000: with history / without',
        put,
        most,
      ),
      ratioFigure('history', 'PATCH of one shape: with history / without', one, most),
      ratioFigure('history', 'PATCH of 500 shapes: with history / without', many, most),
    ]
  } finally {
    await Promise.all([kept.close(), bare.close()])
  }
}

/** Returns a call that changes that many shapes of the first job, different ones each time. */
async function changer({ service, database }: Alone, count: number) {
  await database.query('vacuum analyze shapes')
  const { rows } = await database.query<{ id: string }>(
    'select id from shapes join jobs using (job_id, generation) where shapes.task_id = $1 and job_id = 1',
    [taskId],
  )
  return async (at: number) => {
    const shapes = Array.from({ length: count }, (_, n) => ({
      id: Number(rows[(at + n * 97) % rows.length]?.id),
      occluded: at % 2 === 0,
    }))
    const body = splitBody(Buffer.from(JSON.stringify({ shapes })))
    await drainChunks(
      await service.updateJobAnnotations({ id: 1, action: 'update', body }, caller()),
    )
  }
}
