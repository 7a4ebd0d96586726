import { writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import { annotationFigures } from './annotations.ts'
import { limitOf } from './limit.ts'
import { startServer } from './server.ts'
import { tableOf } from './table.ts'

/** `npm run bench`: figures as ratios to a limit measured in the same run. Writes `docs/performance.md` with `--write`. */
const server = await startServer()
const limit = limitOf(server.databaseUrl)
const figures = await annotationFigures(server, limit).finally(server.stop)
const table = tableOf(figures)
console.log(table)

if (process.argv.includes('--write')) {
  const text = `# Performance

Written by \`npm run bench -- --write\`. Ratios are to a limit that the same run measures (${limit.name}), medians of
interleaved rounds, everything on one machine (${cpus().length} cores). Only ratios are judged.

${table}
`
  writeFileSync(fileURLToPath(new URL('../../docs/performance.md', import.meta.url)), text)
}
process.exitCode = figures.every((figure) => figure.holds) ? 0 : 1
