import {
  type Alone,
  caller,
  drainChunks,
  firstFrameOf,
  framesOfJob,
  labelId,
  openAlone,
  taskId,
} from './alone.ts'
import { measureMs, median } from './measure.ts'
import type { Server } from './server.ts'
import { annotationBody } from './shapes.ts'
import { type BenchFigure, ratioFigure } from './table.ts'

const jobs = 20
const calls = 300
const pieceBytes = 64 * 1024

/**
 * Measures annotations-svc alone, with a table of 2,000,000 shapes in 20 jobs: reading one frame of 50 shapes (P7),
 * changing one shape (P8), and writing the twentieth job as fast as the first (P18).
 */
export async function aloneFigures({
  databaseUrl,
}: Pick<Server, 'databaseUrl'>): Promise<BenchFigure[]> {
  const alone = await openAlone(databaseUrl, 'bench_alone')
  try {
    const filled = await fill(alone)
    await alone.database.query('vacuum analyze shapes')
    return [await frameFigure(alone), await updateFigure(alone), filled]
  } finally {
    await alone.close()
  }
}

/** The first job is written once before the measurement, to warm up the JIT compiler. */
async function fill(alone: Alone): Promise<BenchFigure> {
  await putJob(alone, 1)
  const times: number[] = []
  for (let job = 1; job <= jobs; job++) times.push(await measureMs(() => putJob(alone, job)))
  const limit = median(times.slice(0, 3))
  const subject = median(times.slice(-3))
  const what = '100,000 shapes into a job: the last three of 20 jobs / the first three'
  return ratioFigure('P18', what, { limit, subject, ratio: subject / limit }, 1.4)
}

/** Replaces the annotations of a job by 100,000 shapes. */
export async function putJob({ service }: Alone, job: number): Promise<void> {
  const text = annotationBody({ labelId, frames: framesOfJob, firstFrame: firstFrameOf(job) })
  const input = { id: job, body: splitBody(Buffer.from(text)) }
  await drainChunks(await service.replaceJobAnnotations(input, caller()))
}

export async function* splitBody(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

/** Measures calls and their limit in turn, each on another part of the table; compares the faster halves. */
export async function inTurn(
  limit: (at: number) => Promise<unknown>,
  subject: (at: number) => Promise<unknown>,
) {
  const times = { limit: [] as number[], subject: [] as number[] }
  for (let call = -calls; call < calls; call++) {
    const at = (call + calls) * 7919
    const pair = {
      limit: await measureMs(() => limit(at)),
      subject: await measureMs(() => subject(at)),
    }
    if (call < 0) continue // warms up the JIT compiler
    times.limit.push(pair.limit)
    times.subject.push(pair.subject)
  }
  const [half, own] = [median(times.limit), median(times.subject)]
  return { limit: half, subject: own, ratio: own / half }
}

const columns =
  'frame, label_id, id, "group", z_order, rotation, score, type, source, occluded, outside, points, attributes, elements'

async function frameFigure({ service, database }: Alone): Promise<BenchFigure> {
  const text = `select ${columns} from shapes where task_id = $1 and job_id = $2
    and generation = (select generation from jobs where job_id = $2) and frame = $3 order by id`
  const target = (at: number) => {
    const job = 1 + (at % jobs)
    return { job, frame: firstFrameOf(job) + (at % framesOfJob) }
  }
  const bare = (at: number) => {
    const { job, frame } = target(at)
    return database.query({ name: 'frame', text, values: [taskId, job, frame] })
  }
  const read = async (at: number) => {
    const { job, frame } = target(at)
    const frames = [{ first: frame, last: frame }]
    await drainChunks(await service.getJobAnnotations({ id: job, frames, label_id: [] }, caller()))
  }
  const what =
    'one frame of 50 shapes among 2,000,000, the service alone, p50 / bare prepared query'
  return ratioFigure('P7', what, await inTurn(bare, read), 3)
}

async function updateFigure({ service, database }: Alone): Promise<BenchFigure> {
  const { rows } = await database.query<{ id: string; job_id: number }>(
    `select id, job_id from shapes join jobs using (job_id, generation)
    where shapes.task_id = $1 and frame % 97 = 0 limit 4000`,
    [taskId],
  )
  const target = (at: number) => rows[at % rows.length] ?? { id: '0', job_id: 0 }
  const text = 'update shapes set occluded = not occluded where task_id = $1 and id = $2'
  const bare = (at: number) =>
    database.query({ name: 'update', text, values: [taskId, target(at).id] })
  const change = async (at: number) => {
    const { id, job_id } = target(at + 1)
    const sent = { shapes: [{ id: Number(id), occluded: at % 2 === 0 }] }
    const body = splitBody(Buffer.from(JSON.stringify(sent)))
    await drainChunks(
      await service.updateJobAnnotations({ id: job_id, action: 'update', body }, caller()),
    )
  }
  const what = 'PATCH of one shape, the service alone, p50 / bare prepared update'
  return ratioFigure('P8', what, await inTurn(bare, change), 6)
}
