import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** File in a data directory while a command changes it as a whole; contains the advice for an interrupted command. */
const fileOf = (dataDir: string) => join(dataDir, 'unfinished')

export const markUnfinished = (dataDir: string, advice: string): Promise<void> =>
  writeFile(fileOf(dataDir), `${advice}\n`, { mode: 0o600 })

export const clearUnfinished = (dataDir: string): Promise<void> =>
  rm(fileOf(dataDir), { force: true })

/**
 * Checks for an interrupted command.
 *
 * @throws Error with one sentence of advice when one was interrupted
 */
export async function assertFinished(dataDir: string): Promise<void> {
  const advice = await readFile(fileOf(dataDir), 'utf8').catch(() => undefined)
  if (advice !== undefined) throw new Error(advice.trim())
}
