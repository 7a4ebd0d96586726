import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { annotationFigures } from './annotations.ts'
import { limitOf } from './limit.ts'
import { type Server, startEmbedded } from './server.ts'
import { smallReadFigure } from './small-reads.ts'
import { startSplit } from './split.ts'
import { type Figure, tableOf } from './table.ts'

/**
 * `npm run bench`: figures as ratios to limits measured in the same run, of the embedded mode or, with `--split`, of every
 * app its own process on real Kafka, MinIO and PostgreSQL. `--write` puts them into `docs/performance.md`.
 */
const { values: asked } = parseArgs({
  options: { split: { type: 'boolean' }, write: { type: 'boolean' } },
})
const name = asked.split ? 'split' : 'embedded'
const { limit, figures } = asked.split ? await measureSplit() : await measureEmbedded()
const table = tableOf(figures)
console.log(table)
if (asked.write) write()
process.exitCode = figures.every((figure) => figure.holds) ? 0 : 1

async function measureEmbedded() {
  const server = await startEmbedded()
  return measured(server, async (limit) => [
    ...(await annotationFigures(server, limit, {
      name: 'embedded',
      read: { id: 'P2', most: 1.2 },
      write: { id: 'P4', most: 1.5 },
    })),
    await smallReadFigure(server, { mode: 'embedded', least: 0.2 }),
  ])
}

async function measureSplit() {
  const server = await startSplit()
  return measured(server, async (limit) => [
    ...(await annotationFigures(server, limit, {
      name: 'split',
      read: { id: 'P1', most: 1.6 },
      write: { id: 'P4', most: 1.6 },
    })),
    await smallReadFigure(server, { mode: 'split', least: 0.08 }),
  ])
}

async function measured(
  server: Server,
  measure: (limit: ReturnType<typeof limitOf>) => Promise<Figure[]>,
) {
  const limit = limitOf(server.databaseUrl)
  const figures = await measure(limit).finally(server.stop)
  return { limit: limit.name, figures }
}

/** Replaces the part of this mode, and leaves the others. */
function write(): void {
  const file = fileURLToPath(new URL('../../docs/performance.md', import.meta.url))
  const begin = `<!-- ${name} -->`
  const end = `<!-- end of ${name} -->`
  const text = readFileSync(file, 'utf8')
  const note = `Limits by ${limit}; everything on one machine (${cpus().length} cores).`
  const part = `${begin}\n${note}\n\n${table}\n${end}`
  const [before = '', rest = ''] = text.split(begin)
  const [, after = ''] = rest.split(end)
  writeFileSync(file, `${before}${part}${after}`)
}
