import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readOrCreateSecret } from '../data-dir/secret-file.ts'
import type { PostgresHome } from './home.ts'

const run = promisify(execFile)

/** Returns the folder of the cluster itself. */
export const dataOf = (home: PostgresHome) => join(home.folder, 'data')

/**
 * Reads the administrator's password, generated on the first start and readable by the owner of the data directory
 * only.
 */
export function readPassword(dataDir: string, home: PostgresHome): Promise<string> {
  const file = join(dataDir, 'postgres-password')
  return readOrCreateSecret(file, () => {
    if (!existsSync(dataOf(home))) return randomBytes(24).toString('hex')
    throw new Error(
      `${file} is missing, and without it the database in ${home.folder} cannot be opened: put it back`,
    )
  })
}

/**
 * Creates the cluster under another name and renames it when complete, so that an interrupted first start leaves no
 * partial one.
 */
export async function createCluster(home: PostgresHome, password: string): Promise<void> {
  const made = join(home.folder, 'data.new')
  const secret = join(home.folder, 'password.new')
  await rm(made, { recursive: true, force: true })
  await writeFile(secret, password, { mode: 0o600 })
  if (home.account) await chown(secret, home.account.uid, home.account.gid)
  const locale = [
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ]
  const access = ['--username=reticle', '--auth=scram-sha-256', `--pwfile=${secret}`]
  try {
    await run(binary(home, 'initdb'), [`--pgdata=${made}`, ...locale, ...access], asServer(home))
    await rename(made, dataOf(home))
  } finally {
    await rm(secret, { force: true })
  }
}

/** Returns the major version that wrote the cluster; undefined without a cluster. */
export async function majorOfData(home: PostgresHome): Promise<number | undefined> {
  const text = await readFile(join(dataOf(home), 'PG_VERSION'), 'utf8').catch(() => undefined)
  return text === undefined ? undefined : Number.parseInt(text, 10)
}

/** Returns the major version of the server's programs, such as 18. */
export async function majorOfBinaries(home: PostgresHome): Promise<number> {
  const { stdout } = await run(binary(home, 'postgres'), ['--version'], asServer(home))
  return Number(/(\d+)/.exec(stdout)?.[1])
}

/**
 * Compares the versions of programs and cluster.
 *
 * @throws Error with one sentence when the programs cannot read the cluster
 */
export async function assertSameMajor(home: PostgresHome): Promise<void> {
  const [data, programs] = [await majorOfData(home), await majorOfBinaries(home)]
  if (data === undefined || data === programs) return
  const advice =
    data < programs
      ? 'move it with "npm run ops -- upgrade-postgres" (docs/operations.md#postgresql-of-another-version)'
      : 'use the version of Reticle that wrote it, or a newer one'
  throw new Error(
    `The database in ${dataOf(home)} belongs to PostgreSQL ${data}, and this Reticle runs PostgreSQL ${programs}: ${advice}.`,
  )
}

export const binary = (home: PostgresHome, name: string) =>
  join(home.native, 'bin', process.platform === 'win32' ? `${name}.exe` : name)
/** Returns the working folder and account for running the server's programs. */
export const asServer = (home: PostgresHome) => ({ cwd: home.folder, ...home.account })
