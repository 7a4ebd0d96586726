import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killDatabase } from '@reticle/kit/bus/testing/database-kills'
import { type Postgres, startPostgres } from '@reticle/standalone/postgres/server'
import type { BenchFigure } from './table.ts'

/** Measures T-BUS-4 on the embedded PostgreSQL; its target is 50 kills. */
export async function databaseKillsFigure(kills = 5): Promise<BenchFigure> {
  const dataDir = mkdtempSync(join(tmpdir(), 'reticle-bench-'))
  chmodSync(dataDir, 0o755)
  let server: Postgres | undefined
  const start = async () => {
    server = await startPostgres({ dataDir })
    return server.url
  }
  const kill = async () => {
    const note = readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
    process.kill(Number(note.split('\n')[0]), 'SIGKILL')
  }
  try {
    const { acknowledged, missing, doubled } = await killDatabase({ start, kill, kills })
    return {
      id: 'T-BUS-4',
      what: `${acknowledged} confirmed transactions, the embedded database killed ${kills} times: missing / doubled`,
      seen: `${missing} / ${doubled}`,
      target: '0 / 0',
      holds: missing + doubled === 0,
    }
  } finally {
    await server?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}
