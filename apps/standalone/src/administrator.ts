import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { openDatabase } from '@reticle/kit/db/connect'
import {
  createUser,
  ensureAdministrator,
  type NewUser,
  type ProjectsDb,
  schema,
} from '@reticle/projects-svc'
import type { Kysely } from 'kysely'
import type { StandaloneConfig } from './config.ts'
import { readOrCreateSecret } from './data-dir/secret-file.ts'

/** Facts about the administrator for the message in the terminal. */
export interface Administrator {
  username: string
  /** Set only at the start that created the administrator with a generated password. */
  password: string | undefined
  /** File with the password, for later starts. */
  file: string | undefined
}

/**
 * Creates the first administrator when no user exists. A password that is not configured is generated and kept in
 * `<data dir>/admin-password`.
 */
export async function firstAdministrator(
  db: Kysely<ProjectsDb>,
  { admin, dataDir }: Pick<StandaloneConfig, 'admin' | 'dataDir'>,
): Promise<Administrator> {
  const { username, email, password: configured } = admin
  const file = join(dataDir, 'admin-password')
  const hasFile = existsSync(file)
  const password =
    configured ?? (await readOrCreateSecret(file, () => randomBytes(12).toString('base64url')))
  const isMade = await ensureAdministrator(db, { username, password, email })
  if (!isMade && !hasFile) await rm(file, { force: true })
  return {
    username,
    password: isMade && !configured ? password : undefined,
    file: existsSync(file) ? file : undefined,
  }
}

/** Adds an account for tests, without registration and with a verified email address, using a database URL. */
export async function addPerson(url: string, person: NewUser): Promise<void> {
  const { db, close } = openDatabase<ProjectsDb>(url, {
    application: 'people',
    max: 1,
    search_path: [schema],
  })
  try {
    await createUser(db, { is_email_verified: true, ...person })
  } finally {
    await close()
  }
}
