import { readFile, writeFile } from 'node:fs/promises'

/** Returns the content of a file that only its owner may read; created by `make` if it is missing. */
export async function readOrCreateSecret(path: string, make: () => string): Promise<string> {
  const known = await readFile(path, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (known) return known.trim()
  const made = make()
  // A full disk can leave an empty file at the first start.
  await writeFile(path, `${made}\n`, { mode: 0o600, flag: known === '' ? 'w' : 'wx' })
  return made
}
