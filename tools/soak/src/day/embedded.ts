import { mkdirSync, readFileSync, utimesSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { convertersOf, workersOf } from '@reticle/tests/support/processes'
import { dataDirectory, type Reticle, startReticle } from '@reticle/tests/support/reticle'
import { type DaySystem, daySettings } from './day-system.ts'

/** Starts one process with its worker process and embedded PostgreSQL, as users start it. */
export async function openEmbedded(port: number): Promise<DaySystem> {
  const { path, remove } = dataDirectory()
  const temporary = join(path, 'temporary')
  mkdirSync(temporary)
  const output: string[] = []
  const env = { ...daySettings, RETICLE_PORT: String(port), RETICLE_TMP_DIR: temporary }
  let reticle: Reticle = await startReticle(path, env)
  const again = async () => {
    output.push(reticle.output())
    reticle = await startReticle(path, env)
  }
  /** A worker that exited is replaced shortly after. */
  const worker = async (): Promise<number> => {
    for (;;) {
      const found = workersOf(reticle.pid)[0]
      if (found) return found
      await sleep(100)
    }
  }
  const conversions = () => workersOf(reticle.pid).flatMap((one) => [one, ...convertersOf(one)])
  const objects = join(path, 'objects')
  return {
    urls: () => [`http://127.0.0.1:${port}`],
    victims: {
      'the process': async () => {
        await reticle.kill()
        await again()
      },
      'the conversion process': async () => {
        process.kill(await worker(), 'SIGKILL')
      },
      PostgreSQL: async () => {
        process.kill(postmasterOf(path), 'SIGKILL')
        await reticle.ended()
        await again()
      },
    },
    pids: () => ({ server: [reticle.pid], conversion: conversions() }),
    logs: async () => [...output, reticle.output()].join('\n').split('\n'),
    databaseOf: () => reticle.people(),
    objects: () => filesBelow(objects),
    age: async (ms) => {
      const date = new Date(Date.now() - ms)
      for (const { key } of await filesBelow(objects)) utimesSync(join(objects, key), date, date)
    },
    restart: async () => {
      await reticle.stop()
      await again()
    },
    temporary,
    stop: async () => {
      await reticle.stop()
      remove()
    },
  }
}

function postmasterOf(dataDir: string): number {
  const note = readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8')
  return Number(note.split('\n')[0])
}

async function filesBelow(folder: string): Promise<{ key: string; size: number }[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  return Promise.all(
    files.map(async (file) => ({ key: relative(folder, file), size: (await stat(file)).size })),
  )
}
