import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A file that stands in a data directory while a command changes it as a whole; holds what to do when it was cut off. */
const fileOf = (dataDir: string) => join(dataDir, 'unfinished')

export const begin = (dataDir: string, advice: string): Promise<void> =>
  writeFile(fileOf(dataDir), `${advice}\n`, { mode: 0o600 })

export const finish = (dataDir: string): Promise<void> => rm(fileOf(dataDir), { force: true })

/** @throws Error with one sentence when the data directory is half of something */
export async function assertFinished(dataDir: string): Promise<void> {
  const advice = await readFile(fileOf(dataDir), 'utf8').catch(() => undefined)
  if (advice !== undefined) throw new Error(advice.trim())
}
