import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { openProxy } from '@reticle/kit/testing/proxy'
import { aloneFigures } from './alone-figures.ts'
import { annotationFigures } from './annotations.ts'
import { attackFigures } from './attacks.ts'
import { besideFigures } from './beside.ts'
import { bulkChangeFigures } from './bulk-changes.ts'
import { busFigures } from './bus.ts'
import { changeFigures } from './changes.ts'
import { codecFigures } from './codecs.ts'
import { databaseKillsFigure } from './database-kills.ts'
import { cocoFigures, formatFigures } from './formats.ts'
import { headerFigures } from './headers.ts'
import { historyFigures } from './history-figures.ts'
import { hooksFigure } from './hooks.ts'
import { imageFigures } from './images.ts'
import { limitOf } from './limit.ts'
import { listFigures } from './lists.ts'
import { mediaFigures } from './media.ts'
import { movementFigures } from './movement.ts'
import { neighbourFigure } from './neighbours.ts'
import { pageWith } from './page.ts'
import { queueFigure } from './queue.ts'
import { hopFigure } from './rpc.ts'
import { type Server, startEmbedded } from './server.ts'
import { smallReadFigure } from './small-reads.ts'
import { startSplit } from './split.ts'
import { type BenchFigure, rowOf, tableOf } from './table.ts'
import { uploadKillsFigures } from './upload-kills.ts'
import { videoFigures } from './video.ts'
import { toLoopback, webhookFigures } from './webhooks.ts'

/** Delay of calls from the workers to the object store. */
const objectsMs = 200

/**
 * `npm run bench`: figures as ratios to limits measured in the same run, of the embedded mode or, with `--split`, of
 * every app as a separate process on real Kafka, MinIO and PostgreSQL. `--write` puts them into `docs/performance.md`,
 * `--json` prints them as JSON after the table. `--only P9` measures a part of the embedded mode alone; other rows stay
 * in the page.
 */
const usage = `npm run bench -- [options]

  --split       every app its own process, on real Kafka, MinIO and PostgreSQL; default: the embedded mode
  --only ID     a part of the embedded mode, may be given several times: annotations, alone, history, changes, bulk, P6, P9, lists,
                bus, kills, neighbours, attacks, beside, webhooks, media, uploads, video, codecs, coco; not measured unless they are named: formats
                (half an hour), movement (half an hour, 20 GB), images (some minutes, four times its larger set), headers
                (a quarter of an hour)
  --images-mib N  the larger set of images; default: 2000, or what a tenth of the free disk has room for
  --write       puts the figures into docs/performance.md
  --json        prints them as JSON behind the table
`
const options = readOptions()
if (options.help) {
  console.log(usage)
  process.exit()
}
const unlessNamed = ['formats', 'movement', 'images', 'headers']
const isRequested = (id: string) => options.only?.includes(id) ?? !unlessNamed.includes(id)
const name = options.split ? 'split' : 'embedded'
const { limit, figures } = options.split ? await measureSplit() : await measureEmbedded()
const table = tableOf(figures)
console.log(table)
if (options.json) console.log(JSON.stringify({ mode: name, limit, figures }, null, 2))
if (options.write) write()
process.exitCode = figures.every((figure) => figure.holds) ? 0 : 1

function readOptions() {
  const flag = { type: 'boolean' } as const
  const only = { type: 'string', multiple: true } as const
  try {
    const size = { 'images-mib': { type: 'string' } } as const
    const options = { split: flag, write: flag, json: flag, help: flag, only, ...size }
    return parseArgs({ options }).values
  } catch (thrown) {
    console.error(`${thrown instanceof Error ? thrown.message : thrown}\n\n${usage}`)
    return process.exit(2)
  }
}

async function measureEmbedded() {
  const server = await startEmbedded()
  return measured(server, async (limit) => {
    const annotations = () =>
      annotationFigures(server, limit, {
        read: { id: 'P2', most: 1.2 },
        write: { id: 'P4', most: 1.5 },
      })
    const parts: [
      id: string,
      measure: () => Promise<BenchFigure[]> | AsyncGenerator<BenchFigure>,
    ][] = [
      ['annotations', annotations],
      ['alone', () => aloneFigures(server)],
      ['history', () => historyFigures(server)],
      ['changes', () => freshChangeFigures()],
      ['bulk', () => bulkChangeFigures(server)],
      ['P6', async () => [await smallReadFigure(server, 0.2)]],
      ['P9', async () => [await hooksFigure()]],
      ['lists', () => listFigures(server)],
      ['bus', () => busFigures({ databaseUrl: server.databaseUrl })],
      ['kills', async () => [await databaseKillsFigure()]],
      ['neighbours', async () => [await neighbourFigure()]],
      ['attacks', () => attackFigures()],
      ['beside', () => besideFigures()],
      ['headers', () => headerFigures()],
      ['webhooks', () => embeddedWebhookFigures()],
      ['media', () => mediaFigures()],
      ['uploads', () => uploadKillsFigures()],
      ['video', () => videoFigures()],
      ['codecs', () => codecFigures()],
      ['coco', () => cocoFigures(server, limit)],
      ['formats', () => formatFigures(server, limit)],
      ['movement', () => movementFigures(server)],
      ['images', () => imageFigures(server, options['images-mib'])],
    ]
    const figures: BenchFigure[] = []
    for (const [id, measure] of parts)
      if (isRequested(id))
        for await (const figure of eachOf(measure())) {
          figures.push(figure)
          console.error(rowOf(figure)) // the table may take an hour to complete
        }
    return figures
  })
}

async function* freshChangeFigures() {
  const server = await startEmbedded({ RETICLE_GATEWAY_RATE_USER: '0' })
  try {
    yield* changeFigures(server)
  } finally {
    await server.stop()
  }
}

async function embeddedWebhookFigures() {
  const server = await startEmbedded({ ...toLoopback, RETICLE_GATEWAY_RATE_USER: '0' })
  return webhookFigures(server, 'embedded').finally(server.stop)
}

async function* eachOf(measured: Promise<BenchFigure[]> | AsyncGenerator<BenchFigure>) {
  if (measured instanceof Promise) yield* await measured
  else yield* measured
}

async function measureSplit() {
  let toObjects: Awaited<ReturnType<typeof openProxy>> | undefined
  const envOfWorkers = async ({ RETICLE_TEST_S3_ENDPOINT = '' }: Record<string, string>) => {
    const { hostname, port } = new URL(RETICLE_TEST_S3_ENDPOINT)
    toObjects = await openProxy({ host: hostname, port: Number(port) })
    const near = `http://127.0.0.1:${toObjects.port}`
    return { RETICLE_S3_ENDPOINT: near, RETICLE_JOBS_SLOTS: '1' }
  }
  const server = await startSplit({ workers: 4, envOfWorkers })
  await server.haveWorkers(1)
  return measured(server, async (limit) => {
    const figures = [
      ...(await annotationFigures(server, limit, {
        read: { id: 'P1', most: 1.6 },
        write: { id: 'P4', most: 1.6 },
      })),
      await smallReadFigure(server, 0.08),
      await hopFigure(),
    ]
    toObjects?.latency(objectsMs)
    figures.push(await queueFigure(server, server.haveWorkers))
    await server.haveWorkers(0)
    const brokers = server.parts.RETICLE_TEST_KAFKA_BROKERS?.split(',')
    figures.push(...(await busFigures({ databaseUrl: server.databaseUrl, brokers })))
    figures.push(...(await webhookFigures(server, 'split')))
    return figures
  }).finally(() => toObjects?.close())
}

async function measured(
  server: Server,
  measure: (limit: ReturnType<typeof limitOf>) => Promise<BenchFigure[]>,
) {
  const limit = limitOf(server.databaseUrl)
  const figures = await measure(limit).finally(server.stop)
  return { limit: limit.name, figures }
}

/** Writes the figures into their tables. */
function write(): void {
  const file = fileURLToPath(new URL('../../../docs/performance.md', import.meta.url))
  const note = `Limits by ${limit}; everything on one machine (${cpus().length} cores).`
  const run = { mode: name, figures, isWhole: options.only === undefined, note }
  writeFileSync(file, pageWith(readFileSync(file, 'utf8'), run))
}
