import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type Alone, caller, drainChunks, framesOfJob, labelId, openAlone } from './alone.ts'
import { putJob, splitBody } from './alone-figures.ts'
import { measureMs, median } from './measure.ts'
import type { Server } from './server.ts'
import { boxPieces } from './shapes.ts'
import { type BenchFigure, ratioFigure } from './table.ts'
import { stopAnalysing } from './unanalysed.ts'

const count = 100_000
const rounds = 3
const most = 5
const job = 1

/**
 * Measures calls on 100,000 objects against the PUT of as many, in tables that were never analysed: whatever plan
 * results, a call takes at most five times the PUT.
 */
export async function bulkChangeFigures({
  databaseUrl,
}: Pick<Server, 'databaseUrl'>): Promise<BenchFigure[]> {
  const alone = await openAlone(databaseUrl, 'bench_bulk_changes')
  try {
    await stopAnalysing(alone.database)
    await putJob(alone, job) // warms up the JIT compiler
    const times = new Map<string, number[]>()
    for (let round = 0; round < rounds; round++) await measureRound(alone, round, times)
    const limit = median(times.get('PUT') ?? [])
    const others = [...times].filter(([name]) => name !== 'PUT')
    return others.map(([name, values]) => {
      const subject = median(values)
      const what = `${name} of 100,000 shapes, never analysed / PUT`
      return ratioFigure('bulk', what, { limit, subject, ratio: subject / limit }, most)
    })
  } finally {
    await alone.close()
  }
}

async function measureRound(alone: Alone, round: number, times: Map<string, number[]>) {
  const { service, database } = alone
  const measure = async (name: string, run: () => Promise<unknown>) => {
    const known = times.get(name) ?? []
    times.set(name, known)
    known.push(await measureMs(run))
  }
  const patch = async (action: string, shapes: Iterable<string>) =>
    drainChunks(
      await service.updateJobAnnotations({ id: job, action, body: bytesOf(shapes) }, caller()),
    )
  const ids = async () => {
    const { rows } = await database.query<{ id: string }>(
      'select id from shapes join jobs using (task_id, job_id, generation) where job_id = $1 limit $2',
      [job, count],
    )
    return rows.map((row) => row.id)
  }
  const each = (list: readonly string[], more: string) =>
    list.map(
      (id, at) =>
        `${at === 0 ? '{"shapes":[' : ','}{"id":${id}${more}}${at === list.length - 1 ? ']}' : ''}`,
    )
  const revision = async () => {
    const { rows } = await database.query<{ revision: string }>(
      'select revision from jobs where job_id = $1',
      [job],
    )
    return Number(rows[0]?.revision)
  }

  await measure('PUT', () => putJob(alone, job))
  const from = await revision()
  const all = await ids()
  const lines = await buffer((await service.readRows({ target: 'job', id: job }, caller())).chunks)
  await measure('import with import_mode=merge', () =>
    service.writeRows(
      { target: 'job', id: job, mode: 'merge', call_id: randomUUID(), body: splitBody(lines) },
      caller(),
    ),
  )
  await measure('update', () => patch('update', each(all, `,"z_order":${round + 5}`)))
  await measure('history/diff', async () =>
    drainChunks(await service.getJobAnnotationsDiff({ id: job, from }, caller())),
  )
  await measure('statistics', async () =>
    drainChunks(
      await service.getJobAnnotationStatistics({ id: job, labels: true, authors: true }, caller()),
    ),
  )
  await measure('create', () => patch('create', boxPieces({ labelId, count, frames: framesOfJob })))
  await measure('delete by ids', () => patch('delete', each(all, '')))
  await measure('restore', async () =>
    drainChunks(await service.restoreJobRevision({ id: job, revision: from }, caller())),
  )
}

async function* bytesOf(texts: Iterable<string>): AsyncGenerator<Uint8Array> {
  let text = ''
  for (const one of texts) {
    text += one
    if (text.length < 1 << 16) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}
