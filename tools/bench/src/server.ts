import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '@reticle/standalone/postgres/server'

const main = fileURLToPath(new URL('../../../apps/standalone/dist/main.js', import.meta.url))
const password = 'a-password-for-benches'

/** A server that is measured. */
export interface Server {
  api: string
  authorization: string
  /** Address of a role that may read and write the tables of all services. */
  databaseUrl: string
  /** Returns the MiB of each watched process. */
  memory: () => number[]
  /** Names of the watched processes. */
  measured: string
  stop: () => Promise<void>
}

/** A server that can be killed, and started again on the same data. */
export interface Restartable extends Server {
  /** Returns the id of the current process. */
  pid: () => number
  /** Kills by SIGKILL, then starts at the same address. */
  killAndStart: () => Promise<void>
}

/** Starts the embedded mode in a separate process, on a PostgreSQL that the bench can also use. */
export async function startEmbedded(env: Record<string, string> = {}): Promise<Restartable> {
  const dataDir = mkdtempSync(join(tmpdir(), 'reticle-bench-'))
  chmodSync(dataDir, 0o755) // accessible to the account of the database, so that the database is stored here too
  const postgres = await startPostgres({ dataDir, outside: tmpdir() })
  const run = async (port: string) => {
    const child = spawn(process.execPath, [main], {
      env: {
        ...process.env,
        RETICLE_PORT: port,
        RETICLE_DATA_DIR: dataDir,
        RETICLE_DATABASE_URL: postgres.url,
        RETICLE_ADMIN_PASSWORD: password,
        RETICLE_LOG_LEVEL: 'error',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    return { child, url: await readyUrl(child.stdout) }
  }
  let running = await run('0')
  const end = async (signal: NodeJS.Signals) => {
    const ended = once(running.child, 'exit')
    running.child.kill(signal)
    await ended
  }
  const pid = () => Number(running.child.pid)
  return {
    api: `${running.url}/api`,
    authorization: `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`,
    databaseUrl: postgres.url,
    pid,
    memory: () => [residentMiB(pid())],
    measured: 'the one process',
    killAndStart: async () => {
      await end('SIGKILL')
      running = await run(new URL(running.url).port)
    },
    stop: async () => {
      await end('SIGTERM')
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function readyUrl(output: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const piece of output) {
    text += piece
    const [, url] = /^Reticle is ready at (\S+)/m.exec(text) ?? []
    if (url) {
      output.resume()
      return url
    }
  }
  throw new Error('Reticle did not start')
}

/** Returns the resident memory of the process in MiB (Linux; NaN elsewhere, and the table shows it). */
export function residentMiB(pid: number): number {
  try {
    const [, kib] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return Number(kib) / 1024
  } catch {
    return Number.NaN
  }
}
