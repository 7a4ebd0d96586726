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
import type { Config } from './config.ts'
import { kept } from './kept.ts'

/** What to tell the person at the terminal about the administrator. */
export interface Administrator {
  username: string
  /** Only at the start that made the administrator with a generated password. */
  password: string | undefined
  /** The file that keeps it from then on. */
  file: string | undefined
}

/**
 * Makes the first administrator when there is no user yet (`design.md` 7). A password that was not given is generated and
 * kept in `<data dir>/admin-password`.
 */
export async function firstAdministrator(
  db: Kysely<ProjectsDb>,
  { admin, dataDir }: Pick<Config, 'admin' | 'dataDir'>,
): Promise<Administrator> {
  const { username, email, password: given } = admin
  const file = join(dataDir, 'admin-password')
  const isKept = existsSync(file)
  const password = given ?? (await kept(file, () => randomBytes(12).toString('base64url')))
  const isMade = await ensureAdministrator(db, { username, password, email })
  if (!isMade && !isKept) await rm(file, { force: true })
  return {
    username,
    password: isMade && !given ? password : undefined,
    file: existsSync(file) ? file : undefined,
  }
}

/** For tests: adds an account without registration, with a verified address, over an address of the database. */
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
